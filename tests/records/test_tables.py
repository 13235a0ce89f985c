"""Lists as files: the columns, the cells and who gets which rows."""

from __future__ import annotations

import csv
import io
import zipfile
from xml.etree import ElementTree

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from catalogs.models import Item, UnitOfMeasure, Warehouse
from platform_site.records import table_files
from tests.catalogs.rows import a_clerk, a_folder, a_unit, a_warehouse, an_item, boss
from tests.documents.rows import World
from tests.records.pages import said, url
from tests.site.api.callers import a_user, with_token

pytestmark = pytest.mark.django_db


@pytest.fixture
def reader(db):
    a_user("rita", "user")
    return with_token("rita")


def content(answer):
    assert answer.status_code == 200, answer.content
    return b"".join(answer.streaming_content)


def lines_of(answer):
    return list(csv.DictReader(io.StringIO(content(answer).decode("utf-8-sig"))))


def cells_of(answer):
    """Return the cells of a sheet by row and column: (type, value)."""
    with zipfile.ZipFile(io.BytesIO(content(answer))) as book:
        sheet = ElementTree.fromstring(book.read("xl/worksheets/sheet1.xml"))
    assert sheet.find(".//{*}f") is None, "a formula"
    rows = sheet.findall(".//{*}sheetData/{*}row")
    return [
        {
            cell.get("r").rstrip("0123456789"): (
                cell.get("t"),
                "".join(cell.itertext()),
            )
            for cell in row
        }
        for row in rows
    ]


def sheet_of(answer):
    """Return the rows of a sheet, each with the values of its cells by column."""
    header, *rows = cells_of(answer)
    names = {place: name for place, (_type, name) in header.items()}
    return [{names[at]: _value(*cell) for at, cell in row.items()} for row in rows]


def _value(kind, text):
    return {"b": text == "1", "inlineStr": text}.get(kind) if kind else float(text)


def file_url(model, kind, **query):
    page, _mark, rest = url(model, "changelist", **query).partition("?")
    return f"{page}export.{kind}?{rest}"


@pytest.fixture
def trowel(db):
    unit, folder = a_unit(code="pcs"), a_folder(code="TOOLS", name="Tools")
    known = {"unitOfMeasureId": unit.pk, "parentId": folder.pk}
    return an_item(code="0017", name="Trowel", price="9.5", **known)


def test_a_csv_file_has_the_values_of_the_list_and_the_codes_of_references(
    reader, trowel
):
    answer = reader.get("/Items?format=csv&isFolder=false")
    assert answer["Content-Type"] == "text/csv; charset=utf-8"
    assert answer["Content-Disposition"] == 'attachment; filename="Items.csv"'
    assert lines_of(answer) == [
        {
            "id": str(trowel.pk),
            "isFolder": "false",
            "code": "0017",
            "name": "Trowel",
            "parentId": str(trowel.parent_id),
            "parent.code": "TOOLS",
            "description": "",
            "category": "goods",
            "unitOfMeasureId": str(trowel.unit_of_measure_id),
            "unitOfMeasure.code": "pcs",
            "barcode": "",
            "price": "9.5000",
        }
    ]


def test_an_xlsx_file_has_typed_cells(reader, trowel):
    (row,) = sheet_of(reader.get("/Items?format=xlsx&isFolder=false"))
    assert row["isFolder"] is False
    assert (row["code"], row["price"]) == ("0017", 9.5)
    assert row["parent.code"] == "TOOLS"
    assert "barcode" not in row


def test_a_document_has_a_line_for_each_of_its_lines(reader):
    world = World()
    order = world.order((world.rice, "2", "3"), (world.tea, "1", "4"))
    rows = sheet_of(reader.get("/SalesOrders?format=xlsx"))
    assert [row["code"] for row in rows] == [order.code, order.code]
    assert [row["lines.quantity"] for row in rows] == [2, 1]
    assert [row["total"] for row in rows] == [10, 10]
    # The days since 1900 and the time of a sheet: 1 March 2026, 12:00.
    assert rows[0]["date"] == 46082.5
    assert [row["lines.item.code"] for row in rows] == ["RICE", "TEA"]


def test_texts_are_never_formulas(reader):
    a_warehouse(code="=1+1", name="@SUM(A1)", address="-5")
    (row,) = lines_of(reader.get("/Warehouses?format=csv"))
    assert (row["code"], row["name"]) == ("'=1+1", "'@SUM(A1)")
    (row,) = sheet_of(reader.get("/Warehouses?format=xlsx"))
    assert (row["code"], row["name"]) == ("=1+1", "@SUM(A1)")


def test_numbers_that_a_cell_cannot_have_exactly_stay_texts(reader):
    an_item(code="A", price="12345678901234.5678")
    rows = sheet_of(reader.get("/Items?format=xlsx&isFolder=false"))
    assert rows[0]["price"] == "12345678901234.5678"


def test_a_file_has_the_rows_of_all_pages_in_the_order_that_is_asked_for(reader):
    for number in range(120):
        a_warehouse(code=f"W{number:03}")
    rows = lines_of(reader.get("/Warehouses?format=csv&ordering=-code"))
    assert [row["code"] for row in rows] == [f"W{n:03}" for n in range(119, -1, -1)]


@pytest.mark.parametrize(
    ("query", "name"),
    [("format=pdf", "format"), ("format=csv&page=2", "page"), ("priceFrom=x", "price")],
)
def test_a_wrong_query_is_refused(reader, query, name):
    answer = reader.get(f"/Items?{query}")
    assert answer.status_code == 400
    assert next(iter(answer.json()["errors"])).startswith(name)


def test_codes_of_rows_that_one_may_not_see_are_left_out(client, trowel):
    client.force_login(a_clerk("view_item"))
    (row,) = lines_of(client.get(file_url(Item, "csv", is_folder__exact=0)))
    assert (row["parent.code"], row["unitOfMeasure.code"]) == ("TOOLS", "")


def test_a_text_that_a_cell_cannot_have_is_told(client):
    client.force_login(boss())
    an_item(code="A", description="x" * 40_000)
    answer = client.get(file_url(Item, "xlsx"))
    assert answer.status_code == 302
    assert "32767" in said(answer)[0]


def test_too_many_rows_for_a_sheet_are_told(reader, monkeypatch):
    monkeypatch.setattr(table_files, "_MOST_ROWS", 2)
    for code in ("a", "b"):
        a_unit(code=code)
    answer = reader.get("/UnitsOfMeasure?format=xlsx")
    assert answer.status_code == 400
    assert "at most 2 rows" in answer.json()["errors"]["format"][0]


def test_the_list_page_exports_what_its_filters_leave(client):
    client.force_login(boss())
    a_warehouse(code="A", name="North")
    a_warehouse(code="B", name="South")
    page = client.get(url(Warehouse, "changelist", q="north"))
    assert 'href="export.csv?q=north"' in page.content.decode()
    answer = client.get(file_url(Warehouse, "csv", q="north"))
    assert [row["code"] for row in lines_of(answer)] == ["A"]
    assert client.get(file_url(Warehouse, "pdf")).status_code == 404


def test_a_window_takes_a_constant_number_of_queries(reader):
    def asked(count):
        for _ in range(count):
            an_item()
        with CaptureQueriesContext(connection) as found:
            content(reader.get("/Items?format=csv"))
        return len(found)

    assert asked(2) == asked(20)


def test_an_empty_list_is_a_file_with_column_names(reader):
    text = content(reader.get("/UnitsOfMeasure?format=csv")).decode()
    assert text.strip() == "id,code,name"
    assert not UnitOfMeasure.objects.exists()
