"""What a document moves: lines and the stock as it stands come in, movements of stock
and postings of the ledger go out. Pure; nothing here knows a database."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Context, Decimal
from typing import Final

PLACES: Final = Decimal("0.0001")
ZERO: Final = Decimal(0)
# What columns of 18 digits with four places can hold is smaller than this.
LIMIT: Final = Decimal(10) ** 14
# Wide enough for every product of such numbers, and for a quotient of one.
_EXACT: Final = Context(prec=100, rounding=ROUND_HALF_UP)


@dataclass(frozen=True, slots=True)
class MovementLine:
    """The part of a line that concerns stock; ``stocked`` is false for a service."""

    item: int
    quantity: Decimal
    amount: Decimal
    stocked: bool = True


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


@dataclass(frozen=True, slots=True)
class Movement:
    """A change of the stock of an item: plus is a receipt, minus an issue."""

    item: int
    change: Stock


@dataclass(frozen=True, slots=True)
class Posting:
    """An amount that is credited to one role and debited to another."""

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
    """Return a value with four places, half up."""
    return _EXACT.quantize(value, PLACES)


def line_amount(quantity: Decimal, price: Decimal) -> Decimal:
    """Return quantity times price with four places, half up."""
    return rounded(_EXACT.multiply(quantity, price))


def total(amounts: Iterable[Decimal]) -> Decimal:
    """Return the sum of amounts."""
    found = ZERO
    for amount in amounts:
        found = _EXACT.add(found, amount)
    return found


def cost_of(stock: Stock, quantity: Decimal) -> Decimal:
    """Return the cost of taking a quantity out: the moving average, four places.

    Whoever empties the stock takes the whole value that is left.
    """
    if quantity == stock.quantity:
        return stock.value
    worth = _EXACT.multiply(quantity, stock.value)
    return rounded(_EXACT.divide(worth, stock.quantity))


def receive(lines: Iterable[MovementLine]) -> list[Movement]:
    """Return what a receipt adds, line by line."""
    return [
        Movement(line.item, Stock(line.quantity, line.amount))
        for line in lines
        if line.stocked
    ]


def issue(lines: Iterable[MovementLine], stocks: Mapping[int, Stock]) -> list[Movement]:
    """Return what an issue takes, line by line, each from what the last one left.

    The stocks must suffice; whether they do is asked of `shortages` before.
    """
    left = dict(stocks)
    movements = []
    for line in lines:
        if not line.stocked:
            continue
        stock = left[line.item]
        change = -Stock(line.quantity, cost_of(stock, line.quantity))
        left[line.item] = stock + change
        movements.append(Movement(line.item, change))
    return movements


def recosted(opening: Stock, changes: Iterable[Stock]) -> list[Stock]:
    """Return changes in their order, with what is taken out at the cost of its turn."""
    stock, found = opening, []
    for change in changes:
        taken = -change.quantity
        if taken > 0:
            change = -Stock(taken, cost_of(stock, taken))
        stock = stock + change
        found.append(change)
    return found


def sides(postings: Iterable[Posting]) -> list[Side]:
    """Return the rows of the ledger, both sides of each posting, no zero, no minus."""
    rows = []
    for posting in postings:
        amount, debit, credit = posting.amount, posting.debit, posting.credit
        if amount < 0:
            # Back-dated documents may leave a negative value to take out.
            amount, debit, credit = -amount, credit, debit
        if amount:
            rows += [Side(debit, amount, ZERO), Side(credit, ZERO, amount)]
    return rows
