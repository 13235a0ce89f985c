"""The arithmetic of posting, compared with naive computations."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction

import pytest
from hypothesis import given, strategies as st

from documents.posting.movements import (
    MovementLine,
    Posting,
    Stock,
    cost_of,
    issue,
    line_amount,
    sides,
    total,
)
from documents.posting.shortages import Shortage, shortages

D = Decimal
START = datetime(2026, 3, 1, tzinfo=UTC)
decimals = st.decimals(
    min_value=D("0.0001"), max_value=D("99999999999999.9999"), places=4
)


def half_up(value):
    """Round a fraction half away from zero, with integers only."""
    scaled = abs(value) * 10_000
    whole = (scaled + Fraction(1, 2)).__floor__()
    digits = tuple(int(digit) for digit in str(whole))
    return D((int(value < 0), digits, -4))


@pytest.mark.parametrize(
    ("quantity", "price", "amount"),
    [
        ("1", "0.00005", "0.0001"),
        ("0.5", "0.0001", "0.0001"),
        ("0.4999", "0.0001", "0.0000"),
        ("3", "3.3333", "9.9999"),
        ("2", "0", "0"),
    ],
)
def test_an_amount_is_rounded_half_up(quantity, price, amount):
    assert line_amount(D(quantity), D(price)) == D(amount)


@given(quantity=decimals, price=decimals)
def test_an_amount_is_exact_whatever_the_size(quantity, price):
    expected = half_up(Fraction(quantity) * Fraction(price))
    assert line_amount(quantity, price) == expected


@given(quantity=decimals, stocked=decimals, value=decimals)
def test_a_cost_is_the_share_of_the_value_rounded_once(quantity, stocked, value):
    cost = cost_of(Stock(stocked, value), quantity)
    if quantity == stocked:
        assert cost == value
    else:
        share = Fraction(quantity) * Fraction(value) / Fraction(stocked)
        assert cost == half_up(share)


def test_the_average_is_not_rounded_before_it_is_used():
    # 1/3 kept with four places would cost 0.9999.
    assert cost_of(Stock(D(9), D(3)), D(3)) == D(1)


@given(st.lists(st.integers(1, 9), min_size=1, max_size=6), st.integers(0, 100))
def test_lines_that_empty_the_stock_take_its_exact_value(quantities, value):
    stock = Stock(D(sum(quantities)), D(value).scaleb(-4))
    lines = [MovementLine(1, D(q), D(0)) for q in quantities]
    moved = issue(lines, {1: stock})
    assert total(m.change.value for m in moved) == -stock.value
    assert total(m.change.quantity for m in moved) == -stock.quantity


@given(
    st.lists(
        st.tuples(
            st.sampled_from("abc"),
            st.sampled_from("abc"),
            st.decimals(min_value=-100, max_value=100, places=4),
        )
    )
)
def test_the_ledger_balances_without_negative_amounts(postings):
    rows = sides(Posting(*each) for each in postings)
    assert total(r.debit for r in rows) == total(r.credit for r in rows)
    assert all(r.debit >= 0 <= r.credit and r.debit + r.credit > 0 for r in rows)
    found = Counter()
    for debit, credit, amount in postings:
        found[debit] += amount
        found[credit] -= amount
    for role, balance in found.items():
        assert balance == sum(r.debit - r.credit for r in rows if r.role == role)


changes = st.lists(
    st.tuples(
        st.integers(0, 9).map(lambda days: START + timedelta(days)),
        st.integers(-20, 20).map(D),
    ),
    max_size=12,
)


def worst_shortage(*stock):
    return max(shortages(*stock), key=lambda each: each.lacking, default=None)


@given(opening=st.integers(0, 20).map(D), changes=changes)
def test_the_worst_shortage_is_the_lowest_point(opening, changes):
    moments = sorted({START, *(date for date, _ in changes)})
    stocks = {
        moment: opening + sum(change for date, change in changes if date <= moment)
        for moment in moments
    }
    lowest = min(stocks.values())
    first = next(moment for moment in moments if stocks[moment] == lowest)
    expected = Shortage(first, -lowest) if lowest < 0 else None
    assert worst_shortage(opening, START, changes) == expected


def test_changes_of_the_same_instant_count_together():
    later = START + timedelta(1)
    assert worst_shortage(D(0), START, [(later, D(-5)), (later, D(5))]) is None


def test_the_reference_rounding_equals_that_of_decimal():
    value = D("2.00005")
    assert half_up(Fraction(value)) == value.quantize(D("0.0001"), ROUND_HALF_UP)
