"""The states of orders and goods issues in their lists, and the filters for them."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from django.db import connection
from django.db.models import Q

from catalogs.constants import set_value
from documents.constants import PAYMENT_DAYS
from documents.local_days import today
from documents.models import BankReceipt, GoodsIssue, GoodsReceipt, SalesOrder
from documents.payment_terms import PaymentTerms
from documents.states import ORDER_STATES, UNPAID, late_orders
from tests.catalogs.rows import boss, stored
from tests.documents.rows import post, unpost
from tests.records.pages import url

pytestmark = pytest.mark.django_db


@pytest.fixture
def page(client):
    client.force_login(boss())
    return client


@pytest.fixture
def stock(world):
    """Return the world with enough rice and tea."""
    world.receipt((world.rice, 100, 1), (world.tea, 100, 1))
    return world


def ago(days):
    """Return the noon some days ago in wire form."""
    return f"{today() - timedelta(days=days)}T12:00:00Z"


def codes(page, model, **query):
    """Return the codes in a filtered list."""
    answer = page.get(url(model, "changelist", **query))
    return {row.code for row in answer.context["cl"].result_list}


def texts(page, row):
    """Return the states that the list shows at a row."""
    answer = page.get(url(type(row), "changelist"))
    pages = answer.context["cl"].model_admin
    (found,) = [r for r in answer.context["cl"].result_list if r.pk == row.pk]
    return [pill.text for pill in pages.state_pills(found)]


def test_an_order_is_open_then_part_delivered_then_delivered(page, stock):
    order = stock.order((stock.rice, 5, 2), (stock.tea, 1, 3), post=True)
    assert texts(page, order) == ["open"]
    issue = stock.issue((stock.rice, 2, 2), on=2, orderId=order.pk)
    assert texts(page, order) == ["part delivered"]
    stock.issue((stock.rice, 3, 2), (stock.tea, 1, 3), on=2, orderId=order.pk)
    assert texts(page, order) == ["delivered"]
    unpost(issue)
    assert texts(page, order) == ["part delivered"]


def test_an_unposted_issue_delivers_nothing(page, stock):
    order = stock.order((stock.rice, 5, 2), post=True)
    issue = stock.issue((stock.rice, 5, 2), post=False, orderId=order.pk)
    assert texts(page, order) == ["open"]
    assert texts(page, issue) == ["not posted"]


def test_a_clerk_sees_late_orders_with_the_days(page, stock):
    due = {"dueDate": f"{today() - timedelta(days=3)}"}
    late = stock.order((stock.rice, 5, 2), post=True, **due)
    stock.order((stock.rice, 5, 2), dueDate=f"{today()}")
    done = stock.order((stock.rice, 5, 2), **due)
    stock.issue((stock.rice, 5, 2), on=2, orderId=done.pk)
    assert texts(page, late) == ["open", "3 days late"]
    assert texts(page, done) == ["delivered", "not posted"]
    assert codes(page, SalesOrder, late="yes") == {late.code}


def test_the_delivery_filter_finds_each_state(page, stock):
    orders = [stock.order((stock.rice, 2, 2)) for _ in range(3)]
    stock.issue((stock.rice, 1, 2), on=2, orderId=orders[1].pk)
    stock.issue((stock.rice, 2, 2), on=2, orderId=orders[2].pk)
    for state, order in zip(("open", "part", "delivered"), orders, strict=True):
        assert codes(page, SalesOrder, state=state) == {order.code}


def test_an_issue_is_unpaid_then_part_paid_then_paid(page, stock):
    issue = stock.issue((stock.rice, 5, 2), on=ago(1))
    assert texts(page, issue) == ["unpaid"]
    stock.payment(4, issueId=issue.pk)
    assert texts(page, issue) == ["part paid"]
    receipt = stock.payment(6, issueId=issue.pk)
    assert texts(page, issue) == ["paid"]
    unpost(receipt)
    assert texts(page, issue) == ["part paid"]
    stock.payment(4, issueId=issue.pk, isIncome=False)
    assert texts(page, issue) == ["unpaid"]


def test_a_payment_in_another_currency_pays_nothing(page, stock):
    issue = stock.issue((stock.rice, 5, 2), currencyId=stock.eur.pk, on=ago(1))
    stock.payment(10, issueId=issue.pk, bankAccountId=stock.dollars.pk)
    assert stored(issue).paid == 0


def test_the_filters_of_issues_find_what_is_unpaid_and_overdue(page, stock):
    old = stock.issue((stock.rice, 1, 2), on=ago(15))
    new = stock.issue((stock.rice, 1, 2), on=ago(14))
    paid = stock.issue((stock.rice, 1, 2), on=ago(15))
    stock.payment(2, issueId=paid.pk)
    draft = stock.issue((stock.rice, 1, 2), on=ago(15), post=False)
    assert codes(page, GoodsIssue, unpaid="yes") == {old.code, new.code}
    assert codes(page, GoodsIssue, late="yes") == {old.code}
    assert codes(page, GoodsIssue, state="paid") == {paid.code}
    assert codes(page, GoodsIssue, state="draft") == {draft.code}
    assert codes(page, GoodsIssue, state="part") == set()
    assert texts(page, old) == ["unpaid", "1 day overdue"]


def test_the_days_of_payment_are_those_of_the_day_of_the_issue(page, stock):
    set_value(name=PAYMENT_DAYS, value="30", actor=boss())
    since = today() - timedelta(days=20)
    set_value(name=PAYMENT_DAYS, value="7", actor=boss(), effective_date=since)
    before = stock.issue((stock.rice, 1, 2), on=ago(25))
    after = stock.issue((stock.rice, 1, 2), on=ago(19))
    assert texts(page, before) == ["unpaid"]
    assert texts(page, after) == ["unpaid", "12 days overdue"]
    assert codes(page, GoodsIssue, late="yes") == {after.code}


@pytest.mark.parametrize("value", ["", "soon", "-1", "9" * 40])
def test_days_that_are_no_number_count_as_the_usual_ones(stock, value):
    set_value(name=PAYMENT_DAYS, value=value, actor=boss())
    issue = stock.issue((stock.rice, 1, 2), on=20)
    assert f"{PaymentTerms().due_date(issue.date)}" == "2026-04-03"


def test_the_progress_moves_neither_version_nor_time(stock):
    order = stock.order((stock.rice, 5, 2))
    before = SalesOrder.objects.values("version", "modified").get(pk=order.pk)
    issue = stock.issue((stock.rice, 5, 2), on=2, orderId=order.pk)
    stock.payment(4, issueId=issue.pk)
    assert SalesOrder.objects.values("version", "modified").get(pk=order.pk) == before
    assert stored(issue).version == issue.version
    assert stored(issue).modified == issue.modified


def test_receipts_and_payments_show_whether_they_are_posted(page, world):
    receipt = world.receipt((world.rice, 5, 1))
    payment = world.payment(5, post=False)
    assert texts(page, receipt) == ["posted"]
    assert texts(page, payment) == ["not posted"]
    post(payment)
    assert texts(page, payment) == ["posted"]
    assert {type(receipt), type(payment)} == {GoodsReceipt, BankReceipt}


def test_lists_of_states_take_as_many_queries_however_many_rows(
    page, stock, connection_queries
):
    def issues():
        page.get(url(GoodsIssue, "changelist", unpaid="yes", late="yes"))

    stock.issue((stock.rice, 1, 2), on=ago(20))
    few = connection_queries(issues)
    for _ in range(3):
        stock.issue((stock.rice, 1, 2), on=ago(20))
    assert connection_queries(issues) == few


@pytest.mark.parametrize(
    ("model", "condition", "index"),
    [
        (GoodsIssue, UNPAID, "issue_unpaid"),
        (GoodsIssue, UNPAID & Q(date__lt="2026-03-01T00:00:00Z"), "issue_unpaid"),
        (SalesOrder, late_orders(date(2026, 3, 1)), "order_undelivered"),
        (SalesOrder, ORDER_STATES["part"], "order_part_delivered"),
    ],
)
def test_an_index_serves_the_lists_of_what_is_left_to_do(model, condition, index):
    rows = model.objects.filter(is_deleted=False).filter(condition)
    if connection.vendor != "sqlite":
        pytest.skip("PostgreSQL reads an empty table as a whole")
    found = rows.order_by("-date", "-pk")[:50].explain()
    assert index in found
    assert "TEMP B-TREE" not in found
