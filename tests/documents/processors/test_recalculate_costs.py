"""Costs after back-dated documents: examples, and random documents compared with naive
books."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal
from fractions import Fraction

import pytest
from django.db import transaction
from django.db.models import Sum
from hypothesis import given, strategies as st

from documents.models import GoodsIssue, LedgerEntry, StockBalance, StockMovement
from documents.registers.balances import stock_on_hand
from platform_site.processing import services
from platform_site.records.errors import NotAllowed, Refusal
from tests.catalogs.rows import boss
from tests.documents.naive import rounded
from tests.documents.rows import balances, movements, post, unpost
from tests.drill import effort
from tests.processing.users import somebody_who_may

pytestmark = pytest.mark.django_db
MARCH = {"from": "2026-03-01", "to": "2026-03-31"}


def recalculate(user=None, **period):
    result = services.execute(
        "RecalculateCosts", {**MARCH, **period}, user=user or boss()
    ).result
    return result["issues"], result["changed"]


def cost(issue):
    return -sum(value for _, value in movements(issue))


def test_a_back_dated_receipt_changes_the_cost_of_later_issues(world):
    world.receipt((world.rice, 10, "1"), on=2)
    issue = world.issue((world.rice, 5, "9"), on=5)
    world.receipt((world.rice, 10, "4"), on=1)
    assert cost(issue) == 5
    assert recalculate() == (1, 1)
    assert cost(issue) == Decimal("12.5")
    assert balances()["costOfGoods"] == Decimal("12.5")
    (on_hand,) = stock_on_hand()
    assert (on_hand.quantity, on_hand.value) == (15, Decimal("37.5"))
    assert recalculate() == (1, 0)


def test_an_issue_uses_the_new_cost_of_earlier_issues(world):
    world.receipt((world.rice, 3, "1"), on=2)
    first = world.issue((world.rice, 1, "9"), on=3)
    second = world.issue((world.rice, 1, "9"), on=4)
    last = world.issue((world.rice, 1, "9"), on=5)
    world.receipt((world.rice, 1, "0.0001"), on=1)
    taking_all = world.issue((world.rice, 1, "9"), on=6)
    recalculate()
    costs = [cost(each) for each in (first, second, last, taking_all)]
    assert costs == [Decimal(t) for t in ("0.7500", "0.7500", "0.7501", "0.7500")]
    assert stock_on_hand() == []


def test_issues_with_the_same_date_are_ordered_by_key(world):
    world.receipt((world.rice, 2, "1"), on=2)
    first = world.issue((world.rice, 1, "9"), on=3)
    second = world.issue((world.rice, 1, "9"), on=3)
    unpost(first)
    world.receipt((world.rice, 2, "4"), on=1)
    post(first)
    recalculate()
    assert (cost(first), cost(second)) == (Decimal("2.5"), Decimal("2.5"))


def test_only_the_period_is_changed(world):
    world.receipt((world.rice, 10, "1"), on=2)
    early, late = (world.issue((world.rice, 1, "9"), on=day) for day in (5, 20))
    world.receipt((world.rice, 10, "3"), on=1)
    assert recalculate(to="2026-03-10") == (1, 1)
    assert (cost(early), cost(late)) == (2, 1)
    assert recalculate(**{"from": "2026-03-11"}) == (1, 1)
    assert (cost(early), cost(late)) == (2, 2)


def test_days_are_in_the_platform_time_zone(world, settings):
    settings.PLATFORM_TIME_ZONE = "Asia/Tokyo"
    world.receipt((world.rice, 10, "1"), on="2026-03-01T00:00:00Z")
    world.issue((world.rice, 1, "9"), on="2026-03-10T15:00:00Z")
    assert recalculate(to="2026-03-10")[0] == 0
    assert recalculate(to="2026-03-11")[0] == 1


def test_recalculating_costs_leaves_the_document_unchanged(world):
    world.receipt((world.rice, 10, "1"), on=2)
    issue = world.issue((world.rice, 5, "9"), on=5)
    world.receipt((world.rice, 10, "4"), on=1)
    before = GoodsIssue._base_manager.filter(pk=issue.pk).values().get()
    assert recalculate() == (1, 1)
    assert GoodsIssue._base_manager.filter(pk=issue.pk).values().get() == before


def test_unposted_issues_and_services_are_left_out(world):
    world.receipt((world.rice, 10, "1"), on=2)
    world.issue((world.rice, 5, "9"), on=5, post=False)
    world.issue((world.freight, 1, "9"), on=5)
    assert recalculate() == (0, 0)


def test_the_default_is_the_current_year(world):
    new = services.new_input(services.get_processor("RecalculateCosts"))
    assert new["from"][4:] == "-01-01"
    assert new["to"] == new["from"][:4] + "-12-31"


@pytest.mark.parametrize("zone", ["UTC", "Pacific/Kiritimati", "Etc/GMT+12"])
def test_the_period_may_span_all_possible_dates(world, settings, zone):
    settings.PLATFORM_TIME_ZONE = zone
    assert recalculate(**{"from": "0001-01-01", "to": "9999-12-31"}) == (0, 0)


def test_a_period_that_ends_before_it_begins_is_refused(world):
    with pytest.raises(Refusal) as refusal:
        recalculate(**{"from": "2026-03-02", "to": "2026-03-01"})
    assert [p.path for p in refusal.value.problems] == ["to"]


def test_recalculating_costs_needs_the_right_to_post(world):
    person = somebody_who_may(services.get_processor("RecalculateCosts"))
    with pytest.raises(NotAllowed, match="may not post goods issues"):
        recalculate(user=person)


quantities = st.sampled_from(["0.5", "1", "2", "3", "7"]).map(Decimal)
prices = st.sampled_from(["0", "0.0001", "1", "3.3333", "19.99"]).map(Decimal)
lines = st.lists(
    st.tuples(st.sampled_from(["RICE", "TEA"]), quantities, prices),
    min_size=1,
    max_size=3,
)
# In the order they are entered, which is not that of their days.
entered = st.lists(
    st.tuples(
        st.sampled_from([1, -1]),
        st.integers(1, 5),
        st.sampled_from(["MAIN", "MAIN", "MAIN", "OTHER"]),
        lines,
    ),
    min_size=3,
    max_size=10,
)


# So that most issues are possible.
THERE = [
    (1, 2, place, [("RICE", Decimal(5), Decimal(2)), ("TEA", Decimal(5), Decimal(3))])
    for place in ("MAIN", "OTHER")
]


def in_order_of_date(said):
    """Return the value of each movement of each document, computed in order of date."""
    values = {}
    receipts = [n for n, (sign, *_) in enumerate(said) if sign > 0]
    issues = [n for n, (sign, *_) in enumerate(said) if sign < 0]
    for n in receipts:
        values[n] = [rounded(q * p) for _, q, p in said[n][3]]
    for n in sorted(issues, key=lambda n: (said[n][1], n)):
        _, day, place, taken = said[n]
        values[n] = []
        for item, quantity, _ in taken:
            known = [
                (said[m][0] * q, said[m][0] * abs(v))
                for m in values
                if said[m][1] <= day and said[m][2] == place
                for (i, q, _), v in zip(said[m][3], values[m], strict=False)
                if i == item
            ]
            stock = sum(Fraction(q) for q, _ in known)
            worth = sum(v for _, v in known)
            average = Fraction(worth) / stock
            all_of_it = stock == quantity
            values[n].append(
                worth if all_of_it else rounded(Fraction(quantity) * average)
            )
    return values


@effort(60)
@given(entered=entered)
def test_costs_equal_those_of_naive_books_in_order_of_date(world, entered):
    items = {"RICE": world.rice, "TEA": world.tea}
    places = {"MAIN": world.main, "OTHER": world.other}
    with transaction.atomic():
        said, rows = [], []
        for doc in [*THERE, *entered]:
            sign, day, place, about = doc
            make = world.receipt if sign > 0 else world.issue
            told = [(items[i], q, p) for i, q, p in about]
            try:
                with transaction.atomic():
                    row = make(*told, on=day, warehouseId=places[place].pk)
            except Refusal:
                continue
            said.append(doc)
            rows.append(row)
        recalculate()
        expected = in_order_of_date(said)
        for number, row in enumerate(rows):
            found = [abs(value) for _, value in movements(row)]
            assert found == expected[number]
        check_registers()
        assert recalculate()[1] == 0
        transaction.set_rollback(True)


def check_registers():
    """Check that balances equal the movements, and that the ledger agrees with the
    stock."""
    totals = StockMovement.objects.values_list("item", "warehouse").annotate(
        Sum("quantity"), Sum("value")
    )
    kept = StockBalance.objects.values_list("item", "warehouse", "quantity", "value")
    assert {t for t in totals if any(t[2:])} == {k for k in kept if any(k[2:])}
    worth = sum((row.value for row in stock_on_hand()), Decimal(0))
    assert stock_on_hand(datetime(9999, 1, 1, tzinfo=UTC)) == stock_on_hand()
    assert balances().get("inventory", 0) == worth
    sums = LedgerEntry.objects.aggregate(debits=Sum("debit"), credits=Sum("credit"))
    assert sums["debits"] == sums["credits"]
