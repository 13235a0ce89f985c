"""The reports as pages: the numbers of the API, what is behind them, and files."""

from __future__ import annotations

import csv
import io
import re
from decimal import Decimal
from urllib.parse import urlencode

import openpyxl
import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from catalogs.models import Account, Counterparty
from documents.reports.cache import results
from platform_site.plots import Plot
from tests.catalogs.rows import a_row, an_item, boss
from tests.documents.rows import a_documents_clerk

D = Decimal
STOCK = "/admin/reports/stock-on-hand"
LEDGER = "/admin/reports/ledger-balances"


@pytest.fixture(autouse=True)
def nothing_kept():
    """Forget the reports of other tests, whose rows are rolled back unseen."""
    results._kept.clear()


@pytest.fixture
def page(client, db):
    client.force_login(boss())
    return client


@pytest.fixture
def traded(world):
    world.receipt((world.rice, 10, 2), (world.tea, 1, 5), on=2)
    a_row(Account, isFolder=False, kind="asset", role="receivables", code="1200")
    world.issue((world.rice, 4, 3), on=4)
    world.receipt((world.rice, 1, 2), on=6, warehouseId=world.other.pk)
    world.payment(5, on=8)
    return world


def shown(client, path, **query):
    """Return the rows of a page as texts, by heading."""
    answer = client.get(f"{path}?{urlencode(query)}")
    assert answer.status_code == 200, answer
    return [
        {str(heading.title): cell.text for heading, cell in row}
        for row in answer.context["rows"]
    ]


def links(client, path, heading, **query):
    answer = client.get(f"{path}?{urlencode(query)}")
    rows = answer.context["rows"]
    return [cell.link for row in rows for h, cell in row if str(h.title) == heading]


def reported(client, name, **query):
    answer = client.get(f"/api/v1/Reports/{name}?{urlencode(query)}")
    return answer.json()["rows"]


def number(text):
    return D(text.replace(",", ""))


@pytest.mark.parametrize("day", ["", "2026-03-04", "2026-03-03"])
def test_the_page_of_the_stock_has_the_numbers_of_the_api(page, traded, day):
    rows = shown(page, STOCK, as_of=day)
    keys = ("Item", "Warehouse", "Quantity", "Value")
    asked = {"asOf": day} if day else {}
    assert [[row[key] for key in keys[:2]] for row in rows] == [
        [row["itemCode"], row["warehouseCode"]]
        for row in reported(page, "StockOnHand", **asked)
    ]
    assert [[number(row[key]) for key in keys[2:]] for row in rows] == [
        [D(row["quantity"]), D(row["value"])]
        for row in reported(page, "StockOnHand", **asked)
    ]


@pytest.mark.parametrize("day", ["", "2026-03-04"])
def test_the_page_of_the_ledger_has_the_numbers_of_the_api(page, traded, day):
    rows = shown(page, LEDGER, as_of=day)
    keys = ("Debit", "Credit", "Balance")
    asked = {"asOf": day} if day else {}
    assert [[number(row[key]) for key in keys] for row in rows] == [
        [D(row[key.lower()]) for key in keys]
        for row in reported(page, "LedgerBalances", **asked)
    ]


@pytest.mark.parametrize("day", ["", "2026-03-05"])
def test_the_movements_behind_a_row_add_up_to_it(page, traded, day):
    rows = shown(page, STOCK, as_of=day)
    for row, link in zip(rows, links(page, STOCK, "Quantity", as_of=day), strict=True):
        listed = page.get(link).context["cl"].queryset
        assert sum(each.quantity for each in listed) == number(row["Quantity"])
        assert sum(each.value for each in listed) == number(row["Value"])


@pytest.mark.parametrize("day", ["", "2026-03-05"])
def test_the_entries_behind_a_row_add_up_to_it(page, traded, day):
    rows = shown(page, LEDGER, as_of=day)
    found = links(page, LEDGER, "Balance", as_of=day)
    for row, link in zip(rows, found, strict=True):
        listed = page.get(link).context["cl"].queryset
        balance = sum(each.debit - each.credit for each in listed)
        assert balance == number(row["Balance"])


def test_the_entries_of_a_role_without_an_account_are_told_apart(page, traded):
    """The role had no account when the first issue was posted."""
    a_row(Account, isFolder=False, kind="income", role="sales", code="4000")
    traded.issue((traded.rice, 1, 9), on=9)
    found = links(page, LEDGER, "Balance", role="sales")
    counts = [page.get(link).context["cl"].queryset.count() for link in found]
    assert counts == [1, 1]


def test_totals_are_those_of_all_pages_by_currency(page, traded):
    traded.receipt((traded.freight, 3, 7), currencyId=traded.usd.pk)
    (stock,) = page.get(STOCK).context["totals"].lines
    assert stock == ["EUR", "3", "19.00"]
    euro, dollar = page.get(LEDGER).context["totals"].lines
    assert euro[0] == "EUR"
    assert euro[-1] == "0.00"
    assert dollar[0] == "USD"


def test_quantities_are_added_up_for_one_item_alone(page, traded):
    (totals,) = page.get(f"{STOCK}?item={traded.rice.pk}").context["totals"].lines
    assert totals == ["EUR", "2", "7", "14.00"]


def test_rows_can_be_filtered_and_sorted(page, traded):
    assert len(shown(page, STOCK, warehouse=traded.other.pk)) == 1
    values = [number(r["Value"]) for r in shown(page, STOCK, sort="-value")]
    assert values == sorted(values, reverse=True)
    other = a_row(Counterparty, code="Q", name="Other")
    traded.payment(2, on=8, counterpartyId=other.pk)
    (row,) = shown(page, LEDGER, counterparty=other.pk)
    assert row["Balance"] == "-2.00"
    assert {r["Role"] for r in shown(page, LEDGER, role="bank")} == {"Bank"}
    assert shown(page, STOCK, sort="nonsense") == shown(page, STOCK)


def test_a_page_never_has_all_rows(page, world):
    items = [an_item() for _each in range(51)]
    world.receipt(*((item, 1, 1) for item in items), on=1)
    assert len(shown(page, STOCK)) == 50
    assert len(shown(page, STOCK, page=2)) == 1
    assert ["EUR", "51", "51.00"] in page.get(STOCK).context["totals"].lines


def test_the_plots_lead_to_the_rows_of_their_points(page, traded):
    (plot,) = page.get(STOCK).context["plots"]
    assert [(p.label, p.values) for p in plot.points] == [
        ("RICE", (D(14),)),
        ("TEA", (D(5),)),
    ]
    rows = page.get(plot.points[1].link).context["rows"]
    assert [row[0][1].text for row in rows] == ["TEA"]
    (by_role,) = page.get(LEDGER).context["plots"]
    assert isinstance(by_role, Plot)
    assert sum(point.values[0] for point in by_role.points) == 0


def test_the_rows_are_files_too(page, traded):
    path = f"{STOCK}.csv?item={traded.rice.pk}"
    text = b"".join(page.get(path).streaming_content).decode("utf-8-sig")
    first, second = csv.DictReader(io.StringIO(text))
    assert (first["itemCode"], first["itemName"]) == ("RICE", "Rice")
    assert (D(first["quantity"]), D(second["value"])) == (6, 2)
    assert first["currencyCode"] == "EUR"
    content = b"".join(page.get(f"{LEDGER}.xlsx?role=bank").streaming_content)
    header, row = openpyxl.load_workbook(io.BytesIO(content)).active.values
    assert dict(zip(header, row, strict=True))["balance"] == 5
    assert page.get(f"{STOCK}.pdf").status_code == 404


def test_the_page_says_what_counts_and_where_the_day_ends(page, traded):
    text = page.get(f"{STOCK}?as_of=2026-03-04").content.decode()
    assert "Everything dated up to the end of 4 Mar 2026 counts." in text
    assert "Days are those of UTC." in text
    assert "Everything that is posted counts." in page.get(STOCK).content.decode()


def test_the_day_is_one_of_the_reader(client, world):
    reader = a_documents_clerk("view_stockmovement")
    reader.time_zone = "Pacific/Auckland"
    reader.save()
    client.force_login(reader)
    # The next day has begun there already.
    world.receipt((world.rice, 1, 1), on=4)
    assert shown(client, STOCK, as_of="2026-03-04") == []
    assert len(shown(client, STOCK, as_of="2026-03-05")) == 1


def test_a_wrong_question_is_answered_with_a_sentence(page, traded):
    for query in ("as_of=yesterday", "item=999999", "item=x", "warehouse=99999999999"):
        answer = page.get(f"{STOCK}?{query}")
        assert answer.status_code == 200, query
        assert "errorlist" in answer.content.decode(), query
        assert page.get(f"{STOCK}.csv?{query}").status_code == 302
    assert page.get(f"{STOCK}?as_of=9999-12-31").status_code == 200
    assert page.get(f"{STOCK}?as_of=0001-01-01").status_code == 200


def test_an_empty_register_says_what_fills_it(page):
    assert "There is no stock yet." in page.get(STOCK).content.decode()
    assert "The ledger is empty." in page.get(LEDGER).content.decode()
    text = page.get(f"{STOCK}?as_of=2026-01-01").content.decode()
    assert "There is nothing to show for this day and these filters." in text


def test_reports_are_for_those_who_may_see_the_register(client, traded):
    assert client.get(STOCK).status_code == 302
    client.force_login(a_documents_clerk("view_stockmovement"))
    assert client.get(STOCK).status_code == 200
    assert client.get(LEDGER).status_code == 403
    assert client.get(f"{LEDGER}.csv").status_code == 403
    client.force_login(a_documents_clerk("view_ledgerentry"))
    assert client.get(LEDGER).status_code == 200
    assert client.get(STOCK).status_code == 403


def queries(client, path):
    results._kept.clear()
    with CaptureQueriesContext(connection) as made:
        client.get(path)
    return len(made)


@pytest.mark.counts
@pytest.mark.parametrize("path", [STOCK, LEDGER])
def test_the_pages_ask_no_more_for_more_rows(page, traded, path):
    queries(page, path)
    few = queries(page, path)
    for number_ in range(9):
        partner = a_row(Counterparty, code=f"S{number_}", name="Supplier")
        goods = an_item()
        traded.receipt((goods, 1, 1), on=3, counterpartyId=partner.pk)
    assert queries(page, path) <= few
    assert few <= 16


def test_the_page_has_no_inline_style(page, traded):
    text = page.get(STOCK).content.decode()
    assert '<svg class="plot"' in text
    assert not re.search(r"\sstyle=", text)
