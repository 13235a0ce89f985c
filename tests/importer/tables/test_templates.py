"""Empty tables: their columns are recognised, and workbooks offer values."""

from __future__ import annotations

import io

import openpyxl
import pytest
from django.utils import translation

from importer.tables.packages import propose_table, table_target, table_targets
from importer.tables.templates import template
from tests.builders import make_row

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("language", ["en", "de", "ru"])
@pytest.mark.parametrize("form", ["csv", "xlsx"])
def test_every_column_is_recognised_as_what_it_is(language, form):
    for name, target in table_targets().items():
        with translation.override(language):
            data = template(target, form)
        proposal = propose_table(io.BytesIO(data), name)
        properties = [c.property for c in proposal.description.columns if c.column]
        assert len(properties) == len(proposal.headers), (name, proposal.headers)
        assert len(set(properties)) == len(properties)
        assert not [m for m in proposal.missing if m in properties]


def test_a_workbook_offers_the_codes_of_references_and_keeps_zeros(admin):
    for code in ("pcs", "=kg"):
        make_row("UnitsOfMeasure", actor=admin, code=code, name=code)
    data = template(table_target("Items"), "xlsx")
    book = openpyxl.load_workbook(io.BytesIO(data))
    sheet, lists = book["Items"], book["Lists"]
    headers = {cell.value: cell.column_letter for cell in sheet[1]}
    assert headers.keys() >= {"Code *", "Name *", "Unit of measure", "Price"}
    assert lists.sheet_state == "hidden"
    letter = headers["Unit of measure"]
    assert sorted(cell.value for cell in lists[letter] if cell.value) == ["=kg", "pcs"]
    ranges = [str(rule.sqref) for rule in sheet.data_validations.dataValidation]
    assert f"{letter}2:{letter}10000" in ranges
    assert sheet.column_dimensions["A"].number_format == "@"


def test_templates_are_downloaded(client, admin):
    client.force_login(admin)
    answer = client.get("/admin/import/template", {"target": "Items", "format": "csv"})
    assert answer["Content-Disposition"] == 'attachment; filename="Items.csv"'
    assert answer.content.decode("utf-8-sig").startswith("Code *,Name *,")
    answer = client.get("/admin/import/template", {"target": "Itms"})
    assert answer.status_code == 404
    assert "did you mean" in answer.content.decode()
    answer = client.get("/admin/import/template", {"target": "Items", "format": "pdf"})
    assert answer.status_code == 404
