"""What is delivered of an order and paid of an issue: the stored columns must equal what
the documents say, whatever happens to them."""

from __future__ import annotations

import pytest
from django.db import transaction
from hypothesis import given, strategies as st

from platform_site.records.errors import Refusal
from platform_site.records.services import erase_record
from tests.catalogs.rows import boss, stored
from tests.documents.progress import check_progress
from tests.documents.rows import as_lines, delete, edit, post, restore, unpost
from tests.drill import effort

which = st.integers(0, 8)
quantities = st.integers(1, 3)
amounts = st.sampled_from(["0", "4", "6", "10", "99"])
settling = st.one_of(
    st.tuples(st.just("issue"), which, quantities, quantities),
    st.tuples(st.just("payment"), which, amounts, st.booleans()),
)
changing = st.one_of(
    st.tuples(st.just("other lines"), which, quantities, quantities),
    st.tuples(st.just("other amount"), which, amounts, st.booleans()),
    st.tuples(st.just("other order"), which, which),
    st.tuples(st.just("other issue"), which, which),
    st.tuples(st.just("other currency"), which),
)
switching = st.tuples(
    st.sampled_from(["post", "unpost", "delete", "erase", "restore"]), which
)
operations = st.tuples(
    st.lists(
        st.tuples(st.just("order"), quantities, quantities), min_size=1, max_size=2
    ),
    st.lists(settling, min_size=2, max_size=5),
    st.lists(st.one_of(settling, changing, switching, switching), max_size=8),
).map(lambda parts: [each for part in parts for each in part])


class Story:
    """Orders, issues and payments that people enter, change and take back."""

    def __init__(self, world):
        self.world = world
        self.orders, self.issues, self.payments = [], [], []
        world.receipt((world.rice, 500, 1), (world.tea, 500, 1))

    def lines(self, rice, tea):
        return [(self.world.rice, rice, 2), (self.world.tea, tea, 2)]

    def do(self, what, *about):
        """Do one thing; what is refused, or is about no document, changes nothing."""
        act = getattr(self, what.replace(" ", "_"))
        try:
            with transaction.atomic():
                act(*about)
        except (Refusal, ZeroDivisionError):
            return

    def order(self, rice, tea):
        self.orders.append(self.world.order(*self.lines(rice, tea)))

    def issue(self, order, rice, tea):
        found = self.world.issue(
            *self.lines(rice, tea), on=5, orderId=key(self.orders, order)
        )
        self.issues.append(found)

    def payment(self, issue, amount, is_income):
        settled = {"issueId": key(self.issues, issue), "isIncome": is_income}
        self.payments.append(self.world.payment(amount, on=6, **settled))

    def other_lines(self, number, rice, tea):
        rows = [*self.orders, *self.issues]
        edit(rows[number % len(rows)], lines=as_lines(self.lines(rice, tea)))

    def other_amount(self, number, amount, is_income):
        row = self.payments[number % len(self.payments)]
        edit(row, amount=amount, isIncome=is_income)

    def other_order(self, number, order):
        row = self.issues[number % len(self.issues)]
        edit(row, orderId=key(self.orders, order))

    def other_issue(self, number, issue):
        row = self.payments[number % len(self.payments)]
        edit(row, issueId=key(self.issues, issue))

    def other_currency(self, number):
        issue = stored(self.issues[number % len(self.issues)])
        unpost(issue)
        edit(issue, currencyId=self.world.usd.pk)

    def any(self, number):
        rows = [*self.payments, *self.issues, *self.orders]
        return rows[number % len(rows)]

    def post(self, number):
        post(self.any(number))

    def unpost(self, number):
        unpost(self.any(number))

    def delete(self, number):
        delete(self.any(number))

    def restore(self, number):
        restore(self.any(number))

    def erase(self, number):
        row = self.any(number)
        gone = type(row), row.pk
        erase_record(row=stored(row), actor=boss())
        for rows in (self.orders, self.issues, self.payments):
            rows[:] = [each for each in rows if (type(each), each.pk) != gone]


def key(rows, number):
    """Return the key of one of some rows, or None, by a number."""
    places = [*(row.pk for row in rows), None]
    return places[number % len(places)]


@pytest.mark.django_db
@effort(60)
@given(operations=operations)
def test_the_stored_progress_equals_what_the_documents_say(world, operations):
    with transaction.atomic():
        story = Story(world)
        for what, *about in operations:
            story.do(what, *about)
            check_progress()
        transaction.set_rollback(True)
