"""The movements that a dry run plans, compared with a list of them."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal

from hypothesis import given, strategies as st

from documents.posting.movements import Stock
from documents.posting.planned_movements import PlannedMovements

days = st.integers(1, 9).map(lambda day: datetime(2026, 3, day, tzinfo=UTC))
largest = Decimal(10) ** 14 - Decimal("0.0001")
numbers = st.decimals(-largest, largest, places=4)
moves = st.lists(st.tuples(days, st.builds(Stock, numbers, numbers), st.booleans()))


@given(moves=moves, moment=days)
def test_they_are_the_sums_of_what_was_added_by_date(moves, moment):
    planned, sums = PlannedMovements(), {}
    for date, change, issued in moves:
        planned.add(date, change, issued=issued)
        if date > moment:
            sums[date] = sums.get(date, Stock()) + change
    found = [*planned.after(moment)]
    assert [date for date, _change in found] == sorted(date for date, _change in found)
    totals = {}
    for date, change in found:
        totals[date] = totals.get(date, Stock()) + change
    assert totals == sums
    taken = [c.quantity for date, c, issued in moves if issued and date == moment]
    assert planned.taken(moment) == -sum(taken)


def test_sums_of_any_size_are_kept():
    planned, date = PlannedMovements(), datetime(2026, 3, 1, tzinfo=UTC)
    for _ in range(20):
        planned.add(date, Stock(largest, -largest), issued=True)
    found = [
        change for _date, change in planned.after(datetime.min.replace(tzinfo=UTC))
    ]
    assert sum(change.quantity for change in found) == 20 * largest
    assert planned.taken(date) == -20 * largest
