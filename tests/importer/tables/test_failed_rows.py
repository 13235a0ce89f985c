"""The rows of a table that failed, as a table to correct and import again."""

from __future__ import annotations

import datetime
import io

import pytest

from documents.models import SalesOrder
from importer.tables.failed_rows import failed_rows, failures_by_line
from importer.tables.packages import propose_table, table_description
from tests.builders import messages
from tests.importer.tables.lists import GERMAN, ORDERS, workbook

pytestmark = pytest.mark.django_db


@pytest.fixture
def failed(import_list):
    """Return a function that imports a list, and returns the rows that failed."""

    def rows_of(data, described):
        table = io.BytesIO(data)
        if isinstance(described, str):
            described = propose_table(table, described).description.wire()
        report = import_list(data, described)
        description = table_description(described)
        found = failed_rows(table, description, failures_by_line(report.items))
        return b"".join(found), described

    return rows_of


def test_a_row_is_written_as_it_was_with_the_reason(failed, trade, import_list):
    written, described = failed(GERMAN, "Items")
    lines = written.decode("utf-8-sig").split("\r\n")
    # The headers are in the line in which the description expects them.
    assert lines[:3] == ["", "", ""]
    assert lines[3].endswith("Preis €;Why it wasn't imported")
    assert lines[4].startswith("4712;Dübel groß;Stk;Werkzeug / Hand;;auf Anfrage;")
    assert (lines[4].endswith('is not a number"'), lines[5:]) == (True, [""])
    corrected = written.replace(b"auf Anfrage", b"2,50", 1)
    report = import_list(corrected, described)
    assert (report.counts["Inserted"], report.has_errors) == (1, False)


def test_all_rows_of_a_document_come_together(failed, goods, import_list):
    written, described = failed(ORDERS, "SalesOrders")
    lines = written.decode("utf-8-sig").splitlines()
    codes = [line.split(";")[0] for line in lines]
    assert codes == ["Auftrag", "SO-2", "SO-3", "", "SO-3"]
    corrected = written.replace(b"viele", b"7").replace(b"06.05", b"05.05")
    report = import_list(corrected, described)
    assert (report.counts["Inserted"], report.has_errors) == (2, False)


def test_cells_of_a_workbook_are_written_as_they_are_read(failed, trade):
    moment = datetime.datetime(2026, 5, 4, 14, 30)  # noqa: DTZ001 - as workbooks have them
    sheet = workbook(
        ["code", "name", "Unit", "Price", "EAN"],
        ["1", "One", "pcs", "dear", moment],
        ["2", "Two", "gone", 12.5, datetime.date(2026, 5, 4)],
        ["3", "Three", "pcs", 0.1 + 0.2, 7],
    )
    described = {
        "target": "Items",
        "columns": [
            {"property": "code", "column": "code"},
            {"property": "name", "column": "name"},
            {"property": "unitOfMeasureId", "column": "Unit", "lookup": "code"},
            {"property": "price", "column": "Price"},
            {"property": "isFolder", "default": False},
            {"property": "category", "default": "goods"},
        ],
        "key": ["code"],
        "decimal": ",",
        "dateFormat": "DD.MM.YYYY",
    }
    written, _described = failed(sheet, described)
    lines = written.decode("utf-8-sig").splitlines()
    assert lines[1].startswith("1;One;pcs;dear;2026-05-04 14:30:00;")
    assert lines[2].startswith("2;Two;gone;12,5;2026-05-04;")
    assert len(lines) == 3


def test_a_corrected_table_has_the_values_of_the_workbook(failed, goods, import_list):
    """A number that looks like another one, a formula, a date as a number, and a time."""
    day = datetime.datetime(2026, 5, 4)  # noqa: DTZ001 - as workbooks have them
    rows = [
        ["number", "at", "note", "item", "quantity"],
        [4711, 46146, "'@home", "gone", 1.234],
        [4712, day, "@home", "gone", 2],
    ]
    names = ("code", "date", "comment", "lines.itemId", "lines.quantity")
    described = {
        "target": "SalesOrders",
        "columns": [
            *(
                {"property": name, "column": column}
                for name, column in zip(names, rows[0], strict=True)
            ),
            {"property": "counterpartyId", "default": "C1"},
            {"property": "currencyId", "default": "EUR"},
            {"property": "lines.price", "default": 1},
        ],
        "key": ["code"],
        "groupBy": ["code"],
        "decimal": ",",
    }
    book = workbook(*rows)
    written, _described = failed(book, described)
    del described["decimal"]
    report = import_list(written.replace(b"gone", b"4711"), described)
    assert messages(report) == {}
    orders = SalesOrder.objects.order_by("code")
    assert [order.comment for order in orders] == ["'@home", "@home"]
    assert {order.date.date().isoformat() for order in orders} == {"2026-05-04"}
    assert str(orders[0].line_rows.get().quantity.normalize()) == "1.234"


def test_a_table_that_fails_again_has_its_reasons_once(failed, trade):
    written, described = failed(GERMAN, "Items")
    again, _described = failed(written.replace(b"Anfrage", b"Nachfrage"), described)
    assert again.decode("utf-8-sig").count("Why it wasn't imported") == 1
    assert again.count(b"auf Nachfrage") == 2


def test_the_reason_of_a_short_row_is_in_its_column(failed, trade):
    data = b"SKU;Item description;UOM;Unit price;EAN\n1;Bolt;gone\n2;Nut;pcs\n"
    written, _described = failed(data, "Items")
    row = written.decode("utf-8-sig").splitlines()[1]
    assert row.startswith("1;Bolt;gone;;;")
