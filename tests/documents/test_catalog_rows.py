"""What the pages of catalog rows show of documents and registers, and to whom."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import Permission

from catalogs.models import Account
from documents.models import GoodsIssue, GoodsReceipt
from tests.catalogs.rows import a_clerk, a_row, boss
from tests.documents.pages import retyped, save as save_document
from tests.documents.rows import edit
from tests.records.pages import links, text, url

pytestmark = pytest.mark.django_db
NBSP = "\N{NO-BREAK SPACE}"


@pytest.fixture
def page(client):
    client.force_login(boss())
    return client


def figures(answer):
    """Return the figures of a page: value, note and link by their labels."""
    shown = answer.context["figures"]
    return {
        each.label: (each.value.replace(NBSP, " "), each.note.replace(NBSP, " "))
        for each in shown
    }


def on_page(page, row):
    return figures(page.get(url(row, "row")))


def clerk_with(*rights):
    clerk = a_clerk()
    clerk.user_permissions.set(Permission.objects.filter(codename__in=rights))
    return clerk


# -- items -----------------------------------------------------------------------------


def test_an_item_shows_its_stock_by_warehouse(page, world):
    world.receipt((world.rice, 5, 2))
    world.receipt((world.rice, 3, 2), warehouseId=world.other.pk)
    world.issue((world.rice, 1, 4), on=2)
    unit = world.rice.unit_of_measure.code
    shown = on_page(page, world.rice)
    assert shown["In stock"] == (f"7 {unit}", "MAIN 4, OTHER 3")
    related = text(page.get(url(world.rice, "related")))
    assert "Stock by warehouse" in related
    assert f"MAIN Main 4 {unit} 8.00 EUR" in related.replace(NBSP, " ")


def test_an_item_shows_its_last_sale_and_receipt_by_date(page, world):
    world.receipt((world.rice, 9, 2), on=1)
    last = world.receipt((world.rice, 9, "2.5"), on=5)
    world.receipt((world.rice, 9, 3), on=3)
    sale = world.issue((world.rice, 1, 4), on=7)
    shown = on_page(page, world.rice)
    assert shown["Last receipt"][0] == "2.50 EUR"
    assert shown["Last sale"][0] == "4.00 EUR"
    assert "P Partner" in shown["Last sale"][1]
    targets = {
        f.label: f.link for f in page.get(url(world.rice, "row")).context["figures"]
    }
    assert targets["Last receipt"] == url(last, "row")
    assert targets["Last sale"] == url(sale, "row")


def test_a_service_has_no_stock(page, world):
    assert on_page(page, world.freight) == {}


def test_an_item_shows_the_open_lines_of_orders(page, world):
    world.order((world.rice, 5, 4), dueDate="2026-04-01")
    done = world.order((world.rice, 1, 4))
    world.receipt((world.rice, 1, 1))
    world.issue((world.rice, 1, 4), orderId=done.pk, on=2)
    shown = text(page.get(url(world.rice, "related"))).replace(NBSP, " ")
    table = shown.split("Open order lines")[1].split("Sales orders")[0]
    assert "SO-2026-000001" in table
    assert "SO-2026-000002" not in table


# -- counterparties --------------------------------------------------------------------


def test_a_customer_shows_what_is_open_overdue_and_paid(page, world):
    edit(world.partner, isCustomer=True)
    world.receipt((world.rice, 9, 2))
    issue = world.issue((world.rice, 5, 10), on=2)
    world.payment("20", issueId=issue.pk, on=3)
    world.order((world.rice, 1, 1))
    shown = on_page(page, world.partner)
    assert shown["Open amount"] == ("30.00 EUR", "")
    assert shown["Overdue"] == ("30.00 EUR", "")
    assert shown["Open orders"] == ("1", "")
    assert shown["Last payment"][0] == "20.00 EUR"
    assert shown["Payables"][0] == "18.00 EUR"


def test_each_figure_leads_to_the_rows_that_it_sums_up(page, world):
    edit(world.partner, isCustomer=True)
    world.receipt((world.rice, 9, 2))
    world.issue((world.rice, 5, 10), on=2)
    world.order((world.rice, 1, 1))
    shown = page.get(url(world.partner, "row")).context["figures"]
    for figure in shown:
        answer = page.get(figure.link)
        assert answer.status_code == 200, figure
        if "cl" in (answer.context or {}):
            assert answer.context["cl"].result_count == 1, figure


def test_a_new_customer_owes_nothing(page, world):
    edit(world.partner, isCustomer=True)
    shown = on_page(page, world.partner)
    assert shown == {"Open amount": ("0", ""), "Open orders": ("0", "")}


def test_whoever_may_not_see_the_entries_sees_no_sums_of_them(client, world):
    edit(world.partner, isCustomer=True)
    world.receipt((world.rice, 9, 2))
    world.issue((world.rice, 5, 10), on=2)
    clerk = clerk_with("view_counterparty", "view_item", "view_salesorder")
    client.force_login(clerk)
    assert set(on_page(client, world.partner)) == {"Open orders"}
    assert on_page(client, world.rice) == {}
    assert "Stock by warehouse" not in text(client.get(url(world.rice, "related")))


# -- warehouses and accounts -----------------------------------------------------------


def test_a_warehouse_shows_the_value_of_its_stock(page, world):
    world.receipt((world.rice, 5, 2), (world.tea, 1, 3))
    world.issue((world.tea, 1, 9), on=2)
    shown = on_page(page, world.main)
    assert shown == {"Stock value": ("10.00 EUR", ""), "Items in stock": ("1", "")}


def test_an_account_shows_its_balance_in_each_currency(page, world):
    account = a_row(Account, isFolder=False, role="inventory", kind="asset")
    world.receipt((world.rice, 5, 2))
    world.receipt(
        (world.tea, 1, 3), currencyId=world.usd.pk, warehouseId=world.other.pk
    )
    shown = page.get(url(account, "row")).context["figures"]
    assert [each.value.replace(NBSP, " ") for each in shown] == [
        "10.00 EUR",
        "3.00 USD",
    ]
    assert {each.label for each in shown} == {"Balance"}


def test_a_bank_account_shows_receipts_less_refunds(page, world):
    world.payment("20")
    world.payment("5", isIncome=False, on=2)
    world.payment("100", post=False)
    assert on_page(page, world.bank)["Balance"][0] == "15.00 EUR"


# -- documents -------------------------------------------------------------------------


def test_the_history_tells_which_lines_changed(page, world):
    row = world.receipt((world.rice, 5, 2), (world.tea, 1, 3), post=False)
    lines = [(world.tea, 1, 3), (world.rice, 7, 2)]
    save_document(page, row, retyped(world, row, *lines))
    shown = text(page.get(url(row, "history")))
    newest = shown.split("created")[0]
    assert "Line 1, removed" in newest or "Line 1, added" in newest
    save_document(page, row, {**retyped(world, edit(row), (world.tea, 2, 3), lines[1])})
    shown = text(page.get(url(row, "history"))).split("updated")[1]
    assert "Line 1 (TEA Tea), Quantity : 1 → 2" in shown
    assert "Line 2" not in shown


def test_a_document_shows_its_lines_and_what_refers_to_it(page, world):
    order = world.order((world.rice, 5, 2))
    world.receipt((world.rice, 5, 1))
    issue = world.issue((world.rice, 5, 2), orderId=order.pk, on=2)
    assert "RICE Rice" in text(page.get(url(order, "row")))
    assert links(page.get(url(order, "related")))[issue.code] == url(issue, "row")
    assert links(page.get(url(issue, "related")))[order.code] == url(order, "row")


# -- cost ------------------------------------------------------------------------------


@pytest.mark.counts
def test_the_figures_take_the_same_few_queries_for_any_number_of_documents(
    page, world, django_assert_max_num_queries
):
    edit(world.partner, isCustomer=True)
    account = a_row(Account, isFolder=False, role="inventory", kind="asset")
    for on in range(1, 4):
        world.receipt((world.rice, 9, 2), on=on)
        world.issue((world.rice, 1, 4), on=on + 4)
        world.order((world.rice, 1, 1))
        world.payment("1", on=on)
    for row, most in (
        (world.rice, 18),
        (world.partner, 20),
        (world.main, 16),
        (account, 16),
        (world.bank, 16),
        (GoodsIssue.objects.first(), 16),
        (GoodsReceipt.objects.first(), 16),
    ):
        with django_assert_max_num_queries(most):
            assert page.get(url(row, "row")).status_code == 200
        with django_assert_max_num_queries(30):
            assert page.get(url(row, "related")).status_code == 200
