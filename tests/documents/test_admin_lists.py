"""The lists of documents: dates in the reader's time zone, and the sum under the rows."""

from __future__ import annotations

import datetime
import re
from html import unescape

import pytest
from django.utils import timezone
from django.utils.html import strip_tags

from catalogs.models import Constant, Currency
from documents.models import BankReceipt, SalesOrder
from platform_site.accounts.models import User
from platform_site.database.paging import BigTablePaginator
from platform_site.records.services import create_record
from tests.catalogs.rows import a_row, boss
from tests.records.lists import chips, listed, opened
from tests.records.pages import url

pytestmark = pytest.mark.django_db


@pytest.fixture
def page(client):
    client.force_login(boss())
    return client


@pytest.fixture
def orders(world, monkeypatch):
    """Return a world with orders around the turn of a month, seen in Tokyo on
    1 April 2026, when it is still March in Greenwich."""
    now = datetime.datetime(2026, 3, 31, 20, tzinfo=datetime.UTC)
    monkeypatch.setattr(timezone, "now", lambda: now)
    for code, at in (
        ("FEB", "2026-02-10T12:00:00Z"),
        ("MARCH", "2026-03-31T14:59:00Z"),
        ("APRIL", "2026-03-31T15:01:00Z"),
    ):
        world.order((world.rice, 1, 1), code=code, on=at)
    return world


@pytest.fixture
def tokyo(page):
    User.objects.update(time_zone="Asia/Tokyo")
    return page


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ({"date__period": "today"}, ["APRIL"]),
        ({"date__period": "this_month"}, ["APRIL"]),
        ({"date__period": "last_month"}, ["MARCH"]),
        ({"date__period": "this_year"}, ["APRIL", "MARCH", "FEB"]),
        ({"date__gte": "2026-04-01"}, ["APRIL"]),
        ({"date__lte": "2026-03-31"}, ["MARCH", "FEB"]),
        ({"date__gte": "2026-03-01", "date__lte": "2026-03-31"}, ["MARCH"]),
        # As Django's own filter wrote it into links.
        ({"date__gte": "2026-04-01 00:00:00+09:00"}, ["APRIL"]),
        ({"date__gte": "", "date__lte": ""}, ["APRIL", "MARCH", "FEB"]),
    ],
)
def test_days_are_those_of_the_readers_time_zone(orders, tokyo, query, found):
    assert listed(tokyo, SalesOrder, **query) == found


def test_periods_and_days_are_chips_in_words(orders, tokyo):
    assert chips(tokyo, SalesOrder, date__period="this_week") == [("Date", "this week")]
    between = {"date__gte": "2026-03-01", "date__lte": "2026-03-31"}
    assert chips(tokyo, SalesOrder, **between) == [
        ("Date", "1 Mar 2026 to 31 Mar 2026")
    ]
    until = {"date__lt": "2026-04-01"}
    assert chips(tokyo, SalesOrder, **until) == [("Date", "to 31 Mar 2026")]
    day = {"date__year": "2026", "date__month": "3"}
    assert chips(tokyo, SalesOrder, **day) == [("Date", "March 2026")]


def test_a_column_of_days_has_no_time_zone(tokyo):
    for day in ("2026-03-31", "2026-04-01"):
        data = {"name": "Rate", "effectiveDate": day, "value": "1"}
        create_record(model=Constant, data=data, actor=boss())
    answer = opened(tokyo, Constant, effective_date__lte="2026-03-31")
    days = [row.effective_date.isoformat() for row in answer.context["cl"].result_list]
    assert days == ["2026-03-31"]


@pytest.mark.parametrize(
    "query",
    [
        {"date__period": "some day"},
        {"date__gte": "yesterday"},
        {"date__lte": "2026-13-01"},
        {"date__lte": "9999-12-31"},
        {"total__gte": "NaN"},
        {"total__gte": "1e9"},
        {"total__lte": "9" * 30},
        {"total__lte": "a lot"},
    ],
)
def test_a_range_that_is_none_is_refused_with_a_sentence(page, world, query):
    answer = page.get(url(SalesOrder, "changelist", **query), follow=True)
    assert answer.redirect_chain[0][0].endswith("?e=1")
    assert "filtered that way" in answer.content.decode()


# -- sums ------------------------------------------------------------------------------


def sums(client, model, **query):
    text = opened(client, model, **query).content.decode()
    found = re.findall(r'<p class="list-sums">(.*?)</p>', text)
    return [unescape(strip_tags(each)).replace("\xa0", " ") for each in found]


@pytest.mark.usefixtures("orders")
def test_the_filtered_documents_are_counted_and_added_up_by_currency(page, world):
    yen = a_row(Currency, code="JPY", name="Yen", minorUnits=0)
    world.order((world.rice, 2, 700), currencyId=yen.pk, code="YEN")
    assert sums(page, SalesOrder) == ["4 sales orders · 3.00 EUR · 1,400 JPY"]
    assert sums(page, SalesOrder, q="MARCH") == ["1 sales order · 1.00 EUR"]
    assert sums(page, SalesOrder, q="none of them") == []


def test_a_payment_is_added_up_in_the_currency_of_its_account(page, world):
    world.payment("12.50")
    assert sums(page, BankReceipt) == ["1 bank receipt · 12.50 EUR"]


def test_a_list_too_long_to_be_counted_says_that_it_is_not_added_up(
    page, world, monkeypatch
):
    monkeypatch.setattr(BigTablePaginator, "most", 1)
    monkeypatch.setattr("platform_site.database.paging._FEW", 0)
    for _ in range(2):
        world.order((world.rice, 1, 1))
    (sentence,) = sums(page, SalesOrder)
    assert sentence == "More than 1 rows aren't added up; filter to see their sum."
    assert "more than 1" in opened(page, SalesOrder).content.decode()
