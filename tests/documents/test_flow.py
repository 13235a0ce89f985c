"""The strip above a document: what belongs together, with amounts and states."""

from __future__ import annotations

import re

import pytest

from tests.catalogs.rows import boss, stored
from tests.documents.rows import a_documents_clerk, delete
from tests.records.pages import url

pytestmark = pytest.mark.django_db


@pytest.fixture
def page(client):
    client.force_login(boss())
    return client


@pytest.fixture
def stock(world):
    """Return the world with enough rice."""
    world.receipt((world.rice, 100, 1))
    return world


@pytest.fixture
def sale(stock):
    """Return an order, an issue of a part of it, and a payment of a part of that."""
    order = stock.order((stock.rice, 5, 2), post=True)
    issue = stock.issue((stock.rice, 4, 2), on=2, orderId=order.pk)
    return order, issue, stock.payment(3, issueId=issue.pk)


def strip(client, row, page="row"):
    """Return the codes, amounts and states of each step."""
    steps = client.get(url(row, page)).context["flow"]
    return [
        [
            (each.code, each.amount.replace("\xa0", " "), [p.text for p in each.pills])
            for each in step.documents
        ]
        for step in steps
    ]


@pytest.mark.parametrize("place", [0, 1, 2])
@pytest.mark.parametrize("on", ["row", "change"])
def test_each_document_of_a_sale_shows_the_whole_of_it(page, sale, place, on):
    order, issue, payment = sale
    found = strip(page, sale[place], on)
    assert found[0] == [(order.code, "10.00 EUR", ["part delivered"])]
    assert found[1][0][:2] == (issue.code, "8.00 EUR")
    assert found[1][0][2][0] == "part paid"
    assert found[2] == [(payment.code, "3.00 EUR", ["posted"])]


def test_the_strip_marks_the_document_of_the_page(page, sale):
    for place, row in enumerate(sale):
        steps = page.get(url(row, "row")).context["flow"]
        assert [step.is_current for step in steps].index(True) == place


def test_the_strip_says_how_far_payments_differ_from_what_is_due(page, stock, sale):
    _order, issue, _payment = sale

    def note():
        steps = page.get(url(issue, "row")).context["flow"]
        return steps[-1].note.text.replace("\xa0", " ")

    assert note() == "3.00 EUR of 8.00 EUR paid"
    stock.payment(5, issueId=issue.pk)
    assert note() == "8.00 EUR paid"
    stock.payment(2, issueId=issue.pk)
    assert note() == "2.00 EUR more paid than due"


def test_refunds_and_payments_in_other_currencies_are_marked(page, stock, sale):
    _order, issue, _payment = sale
    stock.payment(1, issueId=issue.pk, isIncome=False)
    stock.payment(1, issueId=issue.pk, bankAccountId=stock.dollars.pk)
    marks = [pills for _code, _amount, pills in strip(page, issue)[-1]]
    assert marks == [["posted"], ["posted", "refund"], ["posted", "other currency"]]


def test_deleted_documents_are_left_out(page, sale):
    order, _issue, payment = sale
    delete(payment)
    assert strip(page, order)[-1] == []


def test_the_strip_shows_only_kinds_that_the_reader_may_see(client, sale):
    order, issue, _payment = sale
    client.force_login(a_documents_clerk("view_goodsissue"))
    assert [step[0][0] for step in strip(client, issue)] == [issue.code]
    assert client.get(url(order, "row")).status_code == 403


def test_a_receipt_belongs_to_no_strip(page, world):
    assert strip(page, world.receipt((world.rice, 1, 1))) == []


def test_the_page_shows_the_figures_of_an_issue(page, sale):
    _order, issue, _payment = sale
    figures = page.get(url(issue, "row")).context["figures"]
    shown = {figure.label: figure.value.replace("\xa0", " ") for figure in figures}
    assert shown["Total"] == "8.00 EUR"
    assert (shown["Paid"], shown["Still to pay"]) == ("3.00 EUR", "5.00 EUR")
    assert shown["Payment due"] == "16 Mar 2026"


def test_the_strip_takes_as_many_queries_however_many_documents(
    page, stock, sale, connection_queries
):
    order, issue, _payment = sale
    few = connection_queries(lambda: page.get(url(order, "row")))
    for _ in range(3):
        stock.issue((stock.rice, 1, 2), on=2, orderId=order.pk)
        stock.payment(1, issueId=issue.pk)
    assert connection_queries(lambda: page.get(url(order, "row"))) == few
    assert stored(order).is_delivered


def test_a_part_delivered_order_shows_what_each_line_lacks(page, stock):
    order = stock.order((stock.rice, 5, 2), (stock.rice, 4, 2), post=True)
    assert "Delivered" not in page.get(url(order, "row")).content.decode()
    stock.issue((stock.rice, 7, 2), on=2, orderId=order.pk)
    lines = page.get(url(order, "row")).content.decode()
    assert re.findall(r'data-label="Delivered">([^<]*)<', lines) == ["5", "2"]
    assert lines.count("is-short") == 1
