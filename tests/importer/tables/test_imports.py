"""Lists of real shapes come in without a description, and a second time change
nothing."""

from __future__ import annotations

from decimal import Decimal

import pytest

from catalogs.models import Account, Item
from documents.models import SalesOrder
from tests.builders import messages, outcomes, row_of
from tests.importer.tables.lists import (
    ACCOUNTS,
    AMERICAN,
    GERMAN,
    ORDERS,
    SCATTERED,
)

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("trade")]


def test_a_wrong_cell_fails_alone_with_its_line_and_column(import_list):
    report = import_list(GERMAN, "Items")
    assert messages(report) == {
        "Items:4712": 'line 6, Preis €: "auf Anfrage" is not a number'
    }
    lines = {entry.id: entry.line for entry in report.items}
    assert (lines["Items:4711"], lines["Items:4713"]) == (5, 7)
    (problem,) = report.problems
    assert (problem.first.line, problem.first.column) == (6, "Preis €")
    assert problem.sentence == 'line 6, Preis €: "auf Anfrage" is not a number'


def test_a_price_list_becomes_items_in_folders(import_list):
    import_list(GERMAN, "Items")
    key, saw = row_of("Items", "4711"), row_of("Items", "4713")
    assert (key.name, key.price, key.barcode) == (
        "Schlüssel 10 mm",
        Decimal("12.5"),
        "4006381333931",
    )
    assert (key.parent.name, key.parent.parent.name) == ("Hand", "Werkzeug")
    assert (saw.price, saw.unit_of_measure.code) == (Decimal("1234.5"), "kg")
    assert row_of("Items", "4714").name == "Zollstock; 2 m"


def test_what_the_services_refuse_has_the_place_in_the_table_too(import_list):
    data = b"SKU;Item description;UOM;Unit price\n1;Bolt;pcs;-3,00\n2;Nut;box;1,00\n"
    found = messages(import_list(data, "Items"))
    assert found["Items:1"].startswith("line 2, Unit price: ")
    assert found["Items:2"].startswith("line 3, UOM: no row of UnitsOfMeasure has")


def test_the_line_of_a_row_is_not_what_identifies_it(import_list):
    import_list(AMERICAN, "Items")
    lines = AMERICAN.splitlines(keepends=True)
    turned = b"".join([lines[0], *reversed(lines[1:])])
    report = import_list(turned, "Items")
    assert report.counts["Unchanged"] == 2
    assert Item.objects.count() == 2


def test_a_row_that_only_stands_lower_now_has_its_new_line(import_list):
    import_list(GERMAN, "Items")
    report = import_list(b"\r\n\r\n" + GERMAN, "Items")
    assert messages(report)["Items:4712"].startswith("line 8, Preis €: ")


def test_a_row_without_its_key_and_a_second_one_with_it_fail_alone(import_list):
    data = b"SKU;Item description;UOM\n1;Bolt;pcs\n;Nut;pcs\n1;Other;pcs\n2;Nail;pcs\n"
    report = import_list(data, "Items")
    assert report.counts["Inserted"] == 2
    assert sorted(messages(report).values()) == [
        "line 3, SKU: is empty, but identifies the row",
        "line 4, SKU: line 2 already has this key: 1",
    ]


def test_a_row_of_too_many_cells_fails_alone(import_list):
    data = b"SKU;Item description;UOM\n1;Bolt; long;pcs\n2;Nut;pcs;;\n"
    report = import_list(data, "Items")
    assert outcomes(report)["Items:2"] == "Inserted"
    assert list(messages(report).values()) == [
        "line 2: has 4 cells, but there are 3 columns"
    ]


def test_an_empty_cell_clears_an_optional_property(import_list):
    head = b"SKU;Item description;UOM;Unit price\n"
    import_list(head + b"1;Bolt;pcs;3,50\n", "Items")
    report = import_list(head + b"1;Bolt;pcs;\n", "Items")
    assert report.counts["Updated"] == 1
    assert row_of("Items", "1").price is None


def test_an_indented_chart_of_accounts_becomes_a_tree(import_list):
    import_list(ACCOUNTS, "Accounts")
    cash = Account.objects.get(code="1000")
    assert (cash.name, cash.parent.name, cash.parent.parent.name) == (
        "Kasse",
        "Umlaufvermögen",
        "Aktiva",
    )
    folders = Account.objects.filter(is_folder=True).values_list("code", flat=True)
    assert sorted(folders) == ["1", "10", "2"]


@pytest.mark.usefixtures("goods")
def test_rows_of_one_order_become_its_lines(import_list):
    report = import_list(ORDERS, "SalesOrders")
    assert messages(report) == {
        "SalesOrders:SO-2": 'line 4, Menge: "viele" is not a number',
        "SalesOrders:SO-3": "line 5, Datum: line 7 of the same document has another "
        "value",
    }
    order = SalesOrder.objects.get(code="SO-1")
    lines = order.line_rows.order_by("pk").values_list("item__code", "quantity")
    assert list(lines) == [("4711", 10), ("4713", 5)]
    assert import_list(ORDERS, "SalesOrders").counts["Unchanged"] == 1


@pytest.mark.usefixtures("goods")
def test_rows_of_one_order_may_be_scattered(import_list):
    report = import_list(SCATTERED, "SalesOrders")
    assert report.counts["Inserted"] == 2
    order = SalesOrder.objects.get(code="SO-1")
    quantities = order.line_rows.order_by("pk").values_list("quantity", flat=True)
    assert list(quantities) == [10, 5]


@pytest.mark.usefixtures("goods")
def test_a_refused_line_of_a_document_has_the_line_of_its_row(import_list):
    data = ORDERS.replace(
        b"SO-1;04.05.2026;C1;EUR;4713", b"SO-1;04.05.2026;C1;EUR;9999"
    )
    found = messages(import_list(data, "SalesOrders"))["SalesOrders:SO-1"]
    assert found.startswith("line 3, Artikel: ")


def test_a_dry_run_says_the_same_and_writes_nothing(import_list):
    dry = import_list(GERMAN, "Items", dry_run=True)
    assert Item.objects.count() == 0
    real = import_list(GERMAN, "Items")
    assert outcomes(dry) == outcomes(real)
    assert messages(dry) == messages(real)
