"""Pure functions that compute stock movements and ledger postings from the lines of a
document and the current stock. Nothing here uses the database."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from decimal import ROUND_HALF_UP, Context, Decimal
from typing import Final

PLACES: Final = Decimal("0.0001")
ZERO: Final = Decimal(0)
# The values of columns with 18 digits and four places are smaller than this.
LIMIT: Final = Decimal(10) ** 14
# Precise enough for every product of such numbers, and for its quotient.
_EXACT: Final = Context(prec=100, rounding=ROUND_HALF_UP)
# An item in a warehouse.
Pair = tuple[int, int]


@dataclass(frozen=True, slots=True)
class MovementLine:
    """The stock-related part of a line."""

    item: int
    quantity: Decimal
    amount: Decimal


@dataclass(frozen=True, slots=True)
class Stock:
    """The quantity of an item in a warehouse, and its value."""

    quantity: Decimal = ZERO
    value: Decimal = ZERO

    def __add__(self, other: Stock) -> Stock:
        return Stock(
            _EXACT.add(self.quantity, other.quantity),
            _EXACT.add(self.value, other.value),
        )

    def __neg__(self) -> Stock:
        return Stock(-self.quantity, -self.value)

    def __sub__(self, other: Stock) -> Stock:
        return self + -other


# The changes of each pair after some time.
Later = dict[Pair, list[tuple[datetime, Stock]]]
# The quantities that a document itself receives (positive) or issues.
Own = Mapping[Pair, Decimal]


@dataclass(frozen=True, slots=True)
class Movement:
    """A change of an item's stock: positive for receipts, negative for issues."""

    item: int
    change: Stock


@dataclass(frozen=True, slots=True)
class Posting:
    """An amount that is debited to one role and credited to another."""

    debit: str
    credit: str
    amount: Decimal


@dataclass(frozen=True, slots=True)
class Side:
    """One row of the ledger."""

    role: str
    debit: Decimal
    credit: Decimal


def rounded(value: Decimal) -> Decimal:
    """Return a value rounded half up to four places."""
    return _EXACT.quantize(value, PLACES)


def line_amount(quantity: Decimal, price: Decimal) -> Decimal:
    """Return quantity times price, rounded half up to four places."""
    return rounded(_EXACT.multiply(quantity, price))


def total(amounts: Iterable[Decimal]) -> Decimal:
    """Return the sum of amounts."""
    found = ZERO
    for amount in amounts:
        found = _EXACT.add(found, amount)
    return found


def cost_of(stock: Stock, quantity: Decimal) -> Decimal:
    """Return the cost of an issue at the moving average, to four places.

    Issuing the whole quantity takes the whole value, so nothing remains of rounding.
    """
    if quantity == stock.quantity:
        return stock.value
    worth = _EXACT.multiply(quantity, stock.value)
    return rounded(_EXACT.divide(worth, stock.quantity))


def stock_at(
    total: Stock, later: Iterable[tuple[datetime, Stock]], moment: datetime
) -> Stock:
    """Return the stock after everything dated up to a time."""
    stock = total
    for date, change in later:
        if date > moment:
            stock = stock - change
    return stock


def receive(lines: Iterable[MovementLine]) -> list[Movement]:
    """Return the movements of a receipt, line by line."""
    return [Movement(line.item, Stock(line.quantity, line.amount)) for line in lines]


def issue(lines: Iterable[MovementLine], stocks: Mapping[int, Stock]) -> list[Movement]:
    """Return the movements of an issue, line by line, each from what the last one left.

    The stock must suffice; call `shortages` first.
    """
    left = dict(stocks)
    movements = []
    for line in lines:
        stock = left[line.item]
        change = -Stock(line.quantity, cost_of(stock, line.quantity))
        left[line.item] = stock + change
        movements.append(Movement(line.item, change))
    return movements


def recosted(opening: Stock, changes: Iterable[Stock]) -> list[Stock]:
    """Return the changes in their order, each issue at its cost at that point."""
    stock, found = opening, []
    for change in changes:
        taken = -change.quantity
        if taken > 0:
            change = -Stock(taken, cost_of(stock, taken))
        stock = stock + change
        found.append(change)
    return found


def sides(postings: Iterable[Posting]) -> list[Side]:
    """Return both ledger rows of each posting, without zero or negative amounts."""
    rows = []
    for posting in postings:
        amount, debit, credit = posting.amount, posting.debit, posting.credit
        if amount < 0:
            # After back-dated documents the value to take out may be negative.
            amount, debit, credit = -amount, credit, debit
        if amount:
            rows += [Side(debit, amount, ZERO), Side(credit, ZERO, amount)]
    return rows
