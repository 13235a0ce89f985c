"""Laws about tables: the package of a table has the effect of the table, and the kind
of file makes no difference."""

from __future__ import annotations

import csv
import io
import json
from decimal import Decimal

import openpyxl
import pytest
from hypothesis import given, strategies as st

from catalogs.models import Item
from importer.services import ImportOptions, import_package
from importer.tables.packages import package_of, table_description, write_package
from platform_site.accounts.models import User
from tests.builders import messages, outcomes
from tests.drill import effort
from tests.importer.laws.world import rolled_back

pytestmark = pytest.mark.django_db
HEADERS = ("code", "name", "unit", "price", "group")
DESCRIPTION = {
    "target": "Items",
    "name": "list",
    "columns": [
        {"property": "code", "column": "code"},
        {"property": "name", "column": "name"},
        {"property": "unitOfMeasureId", "column": "unit", "lookup": "code"},
        {"property": "price", "column": "price"},
        {"property": "parentId", "column": "group", "lookup": "path"},
        {"property": "isFolder", "default": False},
        {"property": "category", "default": "goods"},
    ],
    "key": ["code"],
    "match": ["code"],
    "decimal": ".",
    "headerRow": 1,
    "format": None,
    "encoding": None,
}
words = st.text(st.characters(categories=("L", "N", "P", "Zs")), max_size=8)
numbers = st.decimals(-5, 10**6, places=2, allow_nan=False)
rows = st.lists(
    st.tuples(
        st.sampled_from(["1", "2", "03", "A-4", ""]),
        words,
        st.sampled_from(["pcs", "kg", "none", ""]),
        st.one_of(numbers, st.sampled_from(["", "on request", "12.5.1"])),
        st.sampled_from(["", "Tools", "Tools / Hand", "Tools / Hand / Trowels"]),
    ),
    max_size=6,
)


def as_csv(listed):
    text = io.StringIO()
    csv.writer(text).writerows([HEADERS, *listed])
    return io.BytesIO(text.getvalue().encode("utf-8-sig"))


def as_xlsx(listed):
    book = openpyxl.Workbook(write_only=True)
    sheet = book.create_sheet("list")
    for row in (HEADERS, *listed):
        plain = (float(cell) if isinstance(cell, Decimal) else cell for cell in row)
        sheet.append([None if cell == "" else cell for cell in plain])
    file = io.BytesIO()
    book.save(file)
    return file


def package(table):
    out = io.BytesIO()
    write_package(table, table_description(DESCRIPTION), out)
    return out.getvalue()


def imported(stream):
    admin = User.objects.get(username="admin")
    run = ImportOptions(continue_on_error=True)
    return import_package(stream, run, user=admin)


def units():
    """Import the units that the rows refer to."""
    header = {**json.loads(package(as_csv([]))), "package": "units"}
    items = [{"$id": code, "code": code, "name": code} for code in ("pcs", "kg")]
    step = {"dictionary": "UnitsOfMeasure", "items": items}
    return imported(io.BytesIO(json.dumps({**header, "steps": [step]}).encode()))


def items():
    """Return what the items have, without their keys."""
    names = ("code", "name", "price", "unit_of_measure__code", "parent__code")
    return sorted(map(str, Item.objects.values_list(*names)))


@effort(30)
@given(rows)
def test_csv_and_xlsx_of_the_same_rows_make_equal_packages(listed):
    assert package(as_csv(listed)) == package(as_xlsx(listed))


@effort(15)
@given(rows)
def test_the_package_of_a_table_has_the_effect_of_the_table(listed):
    found = []
    for by_table in (True, False):
        with rolled_back():
            units()
            if by_table:
                description = table_description(DESCRIPTION)
                with package_of(as_csv(listed), description) as stream:
                    report = imported(stream)
            else:
                report = imported(io.BytesIO(package(as_csv(listed))))
            found.append((outcomes(report), messages(report).keys(), items()))
    assert found[0] == found[1]


@effort(15)
@given(rows)
def test_a_second_run_of_a_table_changes_nothing(listed):
    with rolled_back():
        units()
        first, second = (
            imported(io.BytesIO(package(as_csv(listed)))) for _ in range(2)
        )
        assert messages(second) == messages(first)
        done = {str(outcome) for outcome in outcomes(second).values()}
        assert done <= {"Unchanged", "Failed"}
