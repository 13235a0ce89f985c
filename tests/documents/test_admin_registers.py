"""The pages of the registers: lists, filters and totals, all read-only."""

from __future__ import annotations

import re
from decimal import Decimal
from unittest import mock

import pytest
from django.db import connection
from django.db.models import Q
from django.test.utils import CaptureQueriesContext

from catalogs.models import Account
from documents.admin.totals import of_movements
from documents.models import (
    GoodsIssue,
    LedgerEntry,
    SalesOrder,
    StockBalance,
    StockMovement,
)
from platform_site.accounts.models import User
from tests.catalogs.rows import a_clerk, a_row, boss, stored
from tests.documents.pages import add, retyped, save, typed
from tests.documents.rows import a_documents_clerk, unpost
from tests.records.pages import errors, url

pytestmark = pytest.mark.django_db

REGISTERS = [StockMovement, StockBalance, LedgerEntry]


@pytest.fixture
def page(client):
    client.force_login(boss())
    return client


@pytest.fixture
def traded(world):
    """Return a world with 8 rice and 3 tea worth 22 in stock, and receivables of 9."""
    a_row(Account, isFolder=False, kind="asset", role="inventory", code="1000")
    world.received = world.receipt((world.rice, 10, 2), (world.tea, 3, 2), on=1)
    world.issued = world.issue((world.rice, 2, "4.5"), on=2)
    return world


def totals(answer):
    """Return the rows of the totals table."""
    return [texts + numbers for texts, numbers in answer.context["totals"].rows]


def listed(answer):
    return list(answer.context["cl"].result_list)


def test_movements_are_listed_with_documents_and_totals(page, traded):
    answer = page.get(url(StockMovement, "changelist"))
    issued, *received = [row.document_code for row in listed(answer)]
    assert (issued, received) == ("GI-2026-000001", ["GR-2026-000001"] * 2)
    assert totals(answer) == [("EUR", "3", "11", "22.00")]
    assert url(traded.issued, "row").encode() in answer.content


def test_totals_follow_the_filters(page, traded):
    about = {"item__id__exact": traded.rice.pk, "document_type": "GoodsReceipts"}
    answer = page.get(url(StockMovement, "changelist", **about))
    assert totals(answer) == [("EUR", "1", "10", "20.00")]
    assert b"RICE Rice</option>" in answer.content
    found = totals(page.get(url(StockMovement, "changelist", q="TEA")))
    assert found == [("EUR", "1", "3", "6.00")]


@pytest.mark.parametrize("most", [20_000, 0])
def test_a_search_for_items_is_not_repeated_by_each_query(page, traded, most):
    with (
        mock.patch("platform_site.records.admin.reference_search._NAMED", most),
        CaptureQueriesContext(connection) as queries,
    ):
        found = totals(page.get(url(StockMovement, "changelist", q="TEA")))
    assert found == [("EUR", "1", "3", "6.00")]
    searched = [one for one in queries.captured_queries if "LIKE" in one["sql"].upper()]
    assert (len(searched) == 1) is (most > 0)


def test_years_with_rows_are_offered_and_the_months_between(page, world):
    for on in ("2023-03-05", "2023-05-06", "2026-01-07"):
        world.receipt((world.rice, 1, 1), on=f"{on}T12:00:00Z")

    def offered(**query):
        text = page.get(url(StockMovement, "changelist", **query)).content.decode()
        (nav,) = re.findall(
            r'<nav class="toplinks".*?</nav>|<div class="xfull.*?</div>', text, re.S
        )
        return re.findall(r">([^<>]+)</a>", nav)

    assert offered() == ["2023", "2026"]
    assert offered(date__year=2023)[-3:] == [
        "March 2023",
        "April 2023",
        "May 2023",
    ]


def test_without_rows_there_are_no_totals(page, traded):
    for model in (StockMovement, StockBalance, LedgerEntry):
        answer = page.get(url(model, "changelist", q="none of them"))
        assert totals(answer) == []


def test_totals_cover_all_pages(page, world):
    world.receipt(*[(world.rice, 1, 1)] * 130)
    answer = page.get(url(StockMovement, "changelist"))
    assert len(listed(answer)) == 50
    assert totals(answer) == [("EUR", "130", "130", "130.00")]


def test_amounts_of_different_currencies_are_not_added_up(page, world):
    world.receipt((world.rice, 1, 1))
    world.receipt((world.tea, 1, 5), currencyId=world.usd.pk)
    found = totals(page.get(url(StockMovement, "changelist")))
    assert found == [("EUR", "1", "1", "1.00"), ("USD", "1", "1", "5.00")]


def test_movements_are_sorted_by_any_column_within_an_item(page, world):
    world.receipt((world.rice, 3, 1), (world.rice, 2, 1), (world.rice, 5, 1))
    by_quantity = {"o": "2"}
    everything = page.get(url(StockMovement, "changelist", **by_quantity))
    assert [row.quantity for row in listed(everything)] == [5, 2, 3]
    one = {"item__id__exact": world.rice.pk, **by_quantity}
    narrowed = page.get(url(StockMovement, "changelist", **one))
    assert [row.quantity for row in listed(narrowed)] == [2, 3, 5]


@pytest.mark.parametrize(
    ("about", "found"),
    [
        ({}, ("EUR", "3", "11", "22.00")),
        ({"item_id": "rice"}, ("EUR", "2", "8", "16.00")),
        ({"item_id": "rice", "warehouse_id": "main"}, ("EUR", "2", "8", "16.00")),
        ({"warehouse_id": "other"}, None),
        ({"item_id__one_of": "rice"}, ("EUR", "2", "8", "16.00")),
        ({"item_id__one_of": "rice", "item_id": "tea"}, None),
    ],
)
def test_balances_are_the_totals_of_all_movements(
    traded, django_assert_num_queries, about, found
):
    about = {name: getattr(traded, row).pk for name, row in about.items()}
    about |= {name: [key] for name, key in about.items() if name.endswith("one_of")}
    with django_assert_num_queries(1):
        summed = of_movements(StockMovement.objects.filter(**about))
    assert [texts + numbers for texts, numbers in summed.rows] == [found][: bool(found)]


SOME = [
    Q(quantity__gt=0),
    Q(item__code="RICE", quantity__gt=0),
    ~Q(quantity__lt=0),
    Q(item__code="TEA") | Q(quantity=10),
]


@pytest.mark.parametrize("about", SOME)
def test_totals_of_some_movements_leave_out_the_others(traded, about):
    rows = StockMovement.objects.filter(about)
    _, (_, moved, _) = of_movements(rows).rows[0]
    assert Decimal(moved) == sum(row.quantity for row in rows)


def test_stock_on_hand_is_listed(page, traded):
    answer = page.get(url(StockBalance, "changelist"))
    assert [(row.item.code, row.quantity) for row in listed(answer)] == [
        ("RICE", 8),
        ("TEA", 3),
    ]
    assert totals(answer) == [("EUR", "2", "11", "22.00")]
    unpost(traded.issued)
    unpost(traded.received)
    assert listed(page.get(url(StockBalance, "changelist"))) == []


def test_empty_stocks_can_be_filtered_out(page, traded):
    traded.issue((traded.tea, 3, 3), on=3)
    there = page.get(url(StockBalance, "changelist", stock="yes"))
    assert [row.item.code for row in listed(there)] == ["RICE"]
    gone = page.get(url(StockBalance, "changelist", stock="no"))
    assert [row.item.code for row in listed(gone)] == ["TEA"]


def test_ledger_balances_are_listed(page, traded):
    answer = page.get(url(LedgerEntry, "changelist"))
    assert totals(answer) == [
        ("EUR", "cost of goods", "4.00", "0.00", "4.00"),
        ("EUR", "inventory", "26.00", "4.00", "22.00"),
        ("EUR", "payables", "0.00", "26.00", "-26.00"),
        ("EUR", "receivables", "9.00", "0.00", "9.00"),
        ("EUR", "sales", "0.00", "9.00", "-9.00"),
        ("EUR", "All", "39.00", "39.00", "0.00"),
    ]
    one = page.get(
        url(LedgerEntry, "changelist", counterparty__id__exact=traded.partner.pk)
    )
    assert [row[1] for row in totals(one)] == ["payables", "receivables", "All"]


def test_the_page_of_a_document_links_to_its_register_rows(page, traded):
    answer = page.get(url(traded.issued, "change"))
    (movements, entries) = answer.context["links"]
    assert len(listed(page.get(movements["url"]))) == 1
    assert len(listed(page.get(entries["url"]))) == 4


@pytest.mark.parametrize("register", REGISTERS)
def test_registers_are_read_only(page, traded, register):
    row = register.objects.first()
    assert page.get(url(register, "add")).status_code == 403
    assert page.post(url(row, "change"), {"quantity": 1}).status_code == 403
    assert page.post(url(row, "delete"), {"post": "yes"}).status_code == 403


@pytest.mark.parametrize("register", REGISTERS)
def test_a_register_needs_the_right_to_view_it(client, traded, register):
    client.force_login(a_clerk())
    assert client.get(url(register, "changelist")).status_code == 403
    right = f"view_{register._meta.model_name}"
    client.force_login(a_documents_clerk(right))
    assert client.get(url(register, "changelist")).status_code == 200


@pytest.mark.parametrize("register", [*REGISTERS, GoodsIssue, SalesOrder])
@pytest.mark.parametrize(
    "query",
    [
        {"item__id__exact": "x"},
        {"counterparty__id__exact": "x"},
        {"counterparty__id__exact": ""},
        {"counterparty__id__exact": "9" * 30},
        {"warehouse__id__exact": "9" * 18},
        {"warehouse__id__exact": "-1"},
        {"document_type": "x"},
        {"document_id": "9" * 30},
        {"document_id": "x"},
        {"stock": "x"},
        {"date__year": "99999999999"},
        {"date__gte": "x"},
        {"p": "9999"},
        {"_facets": "True"},
    ],
    ids=lambda query: "-".join(f"{k}={v}"[:24] for k, v in query.items()),
)
def test_no_query_gives_an_error_page(page, traded, register, query):
    answer = page.get(url(register, "changelist", **query), follow=True)
    assert answer.status_code in (200, 400)


@pytest.mark.parametrize(
    ("zone", "moment"),
    [
        ("Europe/Berlin", "9999-12-31T23:59:00Z"),
        ("America/New_York", "0001-01-01T00:00:00Z"),
    ],
)
def test_the_edges_of_the_calendar_can_be_shown(page, world, zone, moment):
    row = world.receipt((world.rice, 1, 1), on=moment)
    User.objects.update(time_zone=zone)
    for address in (
        url(row, "change"),
        url(type(row), "changelist"),
        url(StockMovement, "changelist"),
        url(LedgerEntry, "changelist"),
    ):
        assert page.get(address).status_code == 200
    assert save(page, row, retyped(world, row, comment="New")).status_code == 302
    assert stored(row).comment == "New"
    assert stored(row).date == row.date


@pytest.mark.parametrize("zone", ["Europe/Berlin", "America/New_York"])
@pytest.mark.parametrize("day", ["0001-01-01", "9999-12-31"])
def test_a_date_beyond_the_calendar_is_refused_at_its_field(page, world, zone, day):
    for time in ("00:00:00", "23:59:00"):
        data = typed(world, (world.rice, 1, 1), on=day, date_1=time)
        User.objects.update(time_zone=zone)
        answer = add(page, SalesOrder, data)
        assert answer.status_code == 302 or set(errors(answer)) == {"date"}


def test_a_page_of_a_register_takes_the_same_queries_for_any_number_of_rows(
    page, world, connection_queries
):
    world.receipt((world.rice, 1, 1))
    address = url(StockMovement, "changelist")
    page.get(address)
    few = connection_queries(lambda: page.get(address))
    world.receipt(*[(world.rice, 1, 1)] * 20)
    assert connection_queries(lambda: page.get(address)) == few
