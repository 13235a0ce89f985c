"""The judgement of posting without a database: it reads and changes the balances given
to it."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal
from types import SimpleNamespace

import pytest

from documents.posting.balances import Balance, Balances, Removed
from documents.posting.movements import Movement, Stock
from documents.posting.settlement import Settlement, stocked_lines
from importer import Refusal

D = Decimal
EUR, USD, MAIN, RICE, TEA = 1, 2, 5, 7, -8
CODES = {EUR: "EUR", USD: "USD"}


def day(number):
    return datetime(2026, 3, number, tzinfo=UTC)


class Known(Balances):
    """Balances with a history that a test writes down."""

    def __init__(self, *stored, later=(), taken=0):
        super().__init__({(b.item_id, b.warehouse_id): b for b in stored})
        self._later, self._taken = later, taken

    def later(self, moment, own):
        found = {pair: [] for pair in self._balances}
        for pair, date, change in self._later:
            if date > moment:
                found[pair].append((date, change))
        return found

    def taken(self, pair, moment):
        return D(self._taken)


def document(*lines, sign, on=5):
    said = [
        {"item_id": item, "quantity": D(quantity), "price": D(price)}
        for item, quantity, price in lines
    ]
    return SimpleNamespace(lines=said, stock_sign=sign, warehouse_id=MAIN, date=day(on))


class Row:
    """A row of any catalog."""

    def __init__(self, model, key):
        self.pk, self.code = key, CODES.get(key, f"row {key}")

    def __str__(self):
        return self.code


def settled(doc, balances, removed=(), currency=EUR, services=()):
    lines = stocked_lines(doc, lambda items: set(services) & set(items))
    return Settlement(doc, removed, lines).movements(balances, currency, Row)


def balance(item, quantity=0, value=0, currency=None, movements=0):
    return Balance(item, MAIN, currency, D(quantity), D(value), movements)


def test_a_receipt_moves_its_goods_and_no_services():
    balances = Known(balance(RICE))
    doc = document((RICE, 3, 2), (TEA, 1, 1), (RICE, 1, 1), sign=1)
    assert settled(doc, balances, services=[TEA]) == [
        Movement(RICE, Stock(D(3), D(6))),
        Movement(RICE, Stock(D(1), D(1))),
    ]
    assert balances.stock((RICE, MAIN)) == Stock(D(4), D(7))
    assert balances.currency((RICE, MAIN)) == EUR


def test_an_issue_takes_the_average_cost_of_its_date():
    later = [((RICE, MAIN), day(6), Stock(D(10), D(90)))]
    balances = Known(balance(RICE, 20, 110, EUR, 2), later=later)
    assert settled(document((RICE, 5, 9), sign=-1), balances) == [
        Movement(RICE, Stock(D(-5), D(-10)))
    ]


def test_a_shortage_names_rows_that_are_only_planned():
    with pytest.raises(Refusal, match="Not enough row -8 in row 5 on 2026-03-05"):
        settled(document((TEA, 5, 9), sign=-1), Known(balance(TEA)))


def test_problems_come_in_the_order_of_the_lines():
    doc = document((RICE, 5, 9), (TEA, 5, 9), sign=-1)
    with pytest.raises(Refusal) as refusal:
        settled(doc, Known(balance(TEA), balance(RICE)))
    named = [problem.value for problem in refusal.value.problems]
    assert named == ["row 7 in row 5", "row -8 in row 5"]


def test_movements_so_far_are_taken_back_before_it_is_judged():
    held = Removed((RICE, MAIN), day(2), Stock(D(9), D(18)))
    later = [((RICE, MAIN), day(6), Stock(D(-5), D(-10)))]

    def reduced(quantity, currency=EUR):
        known = Known(balance(RICE, 4, 8, EUR, 2), later=later, taken=5)
        return settled(document((RICE, quantity, 2), sign=1), known, [held], currency)

    with pytest.raises(Refusal, match="2026-03-06: 5 needed, 4 available"):
        reduced(4)
    assert reduced(5) == [Movement(RICE, Stock(D(5), D(10)))]
    with pytest.raises(Refusal, match="is valued in EUR; a line in USD"):
        reduced(5, USD)


def test_the_last_movement_taken_back_frees_the_currency():
    held = Removed((RICE, MAIN), day(2), Stock(D(9), D(18)))
    balances = Known(balance(RICE, 9, 18, EUR, 1))
    settled(document((RICE, 1, 2), sign=1), balances, [held], USD)
    assert balances.currency((RICE, MAIN)) == USD


def test_a_stock_or_a_cost_that_does_not_fit_its_column_is_refused():
    huge = D(10) ** 14
    with pytest.raises(Refusal, match="too many digits"):
        settled(document((RICE, 1, 0), sign=1), Known(balance(RICE, huge - 1)))
    later = [((RICE, MAIN), day(6), Stock(D(0), -huge))]
    with pytest.raises(Refusal, match="too many digits"):
        settled(
            document((RICE, 1, 0), sign=-1),
            Known(balance(RICE, 1, 0, EUR), later=later),
        )
