"""Lists of ten real shapes come in on the page, by the command, by a data processor and
from a watched folder: the first time once, after that unchanged."""

from __future__ import annotations

import pytest

from importer.package.shapes import Outcome
from importer.services import report_entries
from tests.builders import make_row, model_of
from tests.drill import times
from tests.importer.admin_page.table_visitor import form_of
from tests.importer.tables import lists
from tests.importer.tables.ways import SOURCE, Ways

pytestmark = pytest.mark.django_db
WAYS = ("by_page", "by_command", "by_processor", "by_folder")
_ROWS = times(400, 250_000)
ALL_ROWS = {"constant-bankAccountId": "BANK", "constant-isIncome": "true"}
LISTS = {
    "German": ("preise.csv", lists.GERMAN, "Items", 5, {6: "Preis €"}),
    "Russian": ("прайс.csv", lists.RUSSIAN, "Items", 2, {4: "Цена, руб."}),
    "UTF-16": ("parts.txt", lists.TABS, "Items", 2, {}),
    "XLSX": ("preise.xlsx", lists.excel_list(), "Items", 2, {6: "VK-Preis (netto)"}),
    "orders in XLSX": (
        "orders.xlsx",
        lists.excel_orders(),
        "SalesOrders",
        2,
        {5: "Preis", 6: "Datum"},
    ),
    "American": ("list.csv", lists.AMERICAN, "Items", 2, {4: "List Price"}),
    "orders": ("orders.csv", lists.ORDERS, "SalesOrders", 1, {4: "Menge", 5: "Datum"}),
    "accounts": ("konten.csv", lists.ACCOUNTS, "Accounts", 6, {}),
    "statement": (
        "umsätze.csv",
        lists.STATEMENT,
        "BankReceipts",
        2,
        {3: "Betrag EUR", 4: "Buchungstag", 5: "Auftraggeber"},
    ),
    "long": (
        "long.csv",
        lists.long_list(_ROWS),
        "Items",
        _ROWS - 1,
        {_ROWS // 2 + 2: "UOM"},
    ),
}

NO_TABLES = {
    "empty": (b"", "he file is empty"),
    "half a workbook": (lists.excel_list()[:900], "he workbook can't be read"),
    "a page": (b"<!DOCTYPE html><p>Sign in", "he file is neither CSV nor XLSX"),
    "an old workbook": (b"\xd0\xcf\x11\xe0" + bytes(512), "an old (.xls)"),
    "an open quotation mark": (b'SKU;Name\n1;"Bolt\n', "is never closed"),
    "bytes": (bytes(range(256)) * 8, "it has bytes that no text has"),
    "other columns": (b"a;b\n1;2\n", "the table has no column"),
}


@pytest.fixture
def bank(trade, admin):
    """Create the account of the statement."""
    currency = model_of("Currencies").objects.get(code="EUR")
    make_row(
        "BankAccounts", actor=admin, code="BANK", name="Bank", currencyId=currency.pk
    )


def failures(run):
    """Return the messages by the lines of the rows that failed."""
    entries = report_entries(run.run_id, outcome=Outcome.FAILED)
    return {entry.line: entry.message for entry in entries}


@pytest.mark.usefixtures("bank")
@pytest.mark.parametrize(
    "shape",
    [pytest.param(s, marks=pytest.mark.drill if s == "long" else ()) for s in LISTS],
)
def test_a_list_comes_in_on_every_way_and_only_once(
    shape, admin, tmp_path, monkeypatch, settings, request
):
    name, data, target, written, wrong = LISTS[shape]
    if target == "SalesOrders":
        request.getfixturevalue("goods")
    chosen = ALL_ROWS if shape == "statement" else {}
    folder = tmp_path / "inbox"
    ways = Ways(admin, name, data, chosen, folder, monkeypatch, settings)
    assert form_of(ways.page)["target"] == [target]
    begin = list(LISTS).index(shape) % len(WAYS)  # each way is the first of some lists
    outcome, said = Outcome.INSERTED, None
    for way in (*WAYS[begin:], *WAYS[:begin]):
        run = getattr(ways, way)()
        assert (way, run.package, run.status) == (way, SOURCE, "Completed")
        counts = {name: count for name, count in run.counts.items() if count}
        assert counts == {outcome: written} | ({"Failed": len(wrong)} if wrong else {})
        found = failures(run)
        assert list(found) == list(wrong)
        for line, column in wrong.items():
            assert found[line].startswith(f"line {line}, {column}: ")
        assert said in (None, found)
        outcome, said = Outcome.UNCHANGED, found


@pytest.mark.usefixtures("trade")
@pytest.mark.parametrize("kind", NO_TABLES)
def test_what_is_no_table_is_refused_on_every_way(
    kind, admin, tmp_path, monkeypatch, settings
):
    folder = tmp_path / "inbox"
    ways = Ways(admin, "list.csv", lists.TABS, {}, folder, monkeypatch, settings)
    data, sentence = NO_TABLES[kind]
    page, *others = ways.refusals_of(data)
    # The page shows the columns of the file instead.
    on_page = "doesn't have these columns of the source: SKU"
    assert (on_page if kind == "other columns" else sentence) in page
    assert ["" if sentence in said else said for said in others] == [""] * 4
    assert not model_of("Items").objects.exists()
