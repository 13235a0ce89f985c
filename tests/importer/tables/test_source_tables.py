"""Tables sent to the API: looked at, imported through a source, or made a package."""

from __future__ import annotations

import io
import json

import pytest

from importer.models import ImportRun
from importer.services import create_source, update_source
from tests.importer.api.conftest import BASE
from tests.importer.api.test_sources import PRICES
from tests.importer.tables.lists import AMERICAN, GERMAN, ORDERS, excel_list

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("trade")]
UTF16 = "Artikelnummer;Bezeichnung;ME;Preis €\n1;Öl;Stk;1,5\n".encode("utf-16")


@pytest.fixture
def source():
    return create_source(PRICES)


def sent(calls, path, data, **fields):
    """Send a file to a path of sources."""
    file = io.BytesIO(data)
    file.name = "list.csv"
    body = {"file": file, **fields}
    return calls.client.post(f"{BASE}/sources/{path}", body, format="multipart")


def test_a_german_price_list_is_recognised(calls):
    answer = sent(calls, "detect", GERMAN, target="Items")
    assert answer.status_code == 200, answer.content
    found = answer.json()
    assert found["encoding"] == "cp1252"
    assert (found["format"], found["delimiter"], found["decimal"]) == ("csv", ";", ",")
    assert (found["headerRow"], found["sheet"]) == (4, None)
    assert found["headers"][:2] == ["Artikelnummer", "Bezeichnung"]
    assert found["rows"] == [
        ["4711", "Schlüssel 10 mm", "pcs", "Werkzeug / Hand", "4006381333931", "12.5"],
        ["4712", "Dübel groß", "pcs", "Werkzeug / Hand", None, "auf Anfrage"],
        ["4713", "Säge Öl", "kg", "Werkzeug", None, "1234.5"],
        ["4714", "Zollstock; 2 m", "pcs", None, None, "9"],
    ]
    means = {one.get("column"): one["property"] for one in found["columns"]}
    assert means["Preis €"] == "price"
    assert (found["key"], found["match"], found["missing"]) == (["code"], ["code"], [])


def test_lines_of_documents_are_parsed(calls):
    found = sent(calls, "detect", ORDERS, target="SalesOrders").json()
    first = dict(zip(found["headers"], found["rows"][0], strict=True))
    assert (first["Datum"], first["Menge"]) == ("2026-05-04", "10")
    assert len(found["rows"]) == 5
    assert found["groupBy"] == ["code"]


def test_a_workbook_is_recognised(calls):
    found = sent(calls, "detect", excel_list(), target="Items").json()
    assert (found["format"], found["sheet"]) == ("xlsx", "Preise")
    assert (found["encoding"], found["delimiter"]) == (None, None)
    assert found["rows"][1][3] == "#N/A"
    assert found["rows"][2][3] == "0.3"


@pytest.mark.parametrize(
    ("data", "target", "property", "code"),
    [
        (b"%PDF-1.7", "Items", "file", "not-a-table"),
        (b"PK\x03\x04 broken", "Items", "file", "not-a-table"),
        (b"\n\n", "Items", "file", "not-a-table"),
        (b"", "Items", "file", "required"),
        (GERMAN, "Item", "target", "invalid"),
        (GERMAN, "ImportItemsFromCsv", "target", "invalid"),
    ],
)
def test_what_cannot_be_recognised_is_refused(calls, data, target, property, code):
    answer = sent(calls, "detect", data, target=target)
    assert answer.status_code == 400
    assert answer.json()["errorCodes"] == {property: [code]}


def test_a_table_without_the_columns_is_refused(calls, source):
    answer = sent(calls, "supplier_17/run", AMERICAN)
    assert answer.status_code == 400
    assert answer.json()["errorCodes"] == {"file": ["not-a-table"]}
    assert "Artikelnummer" in answer.json()["errors"]["file"][0]
    assert not ImportRun.objects.exists()


def test_a_disabled_source_imports_nothing(calls, source):
    update_source(source.name, {"enabled": False})
    answer = sent(calls, "supplier_17/run", UTF16)
    assert (answer.status_code, "disabled" in answer.json()["detail"]) == (409, True)


@pytest.mark.parametrize("path", ["other/run", "other/package"])
def test_a_source_that_does_not_exist_is_refused(calls, path):
    assert sent(calls, path, UTF16).status_code == 404


@pytest.mark.parametrize("fields", [{"plan": "1"}, {"dryRun": "maybe"}])
def test_unknown_options_are_refused(calls, source, fields):
    answer = sent(calls, "supplier_17/run", UTF16, **fields)
    assert [*answer.json()["errors"]] == [*fields]


def test_the_package_of_a_table_is_sent_as_a_file(calls, source):
    answer = sent(calls, "supplier_17/package", UTF16)
    assert answer.status_code == 200
    assert 'filename="supplier_17.json"' in answer["Content-Disposition"]
    package = json.loads(b"".join(answer.streaming_content))
    assert package["package"] == "supplier_17"
    [step] = package["steps"]
    assert step["items"][0]["$id"] == "Items:1"
    assert not ImportRun.objects.exists()
