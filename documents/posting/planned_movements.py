"""The movements of one item in one warehouse that a dry run plans. Nothing here uses
the database."""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from datetime import datetime
from decimal import Decimal
from typing import Final

from documents.posting.movements import Stock

_PLACES: Final = 4
_MOST: Final = (1 << 63) - 1


class PlannedMovements:
    """The planned movements of a pair: one sum per date, in some 32 bytes.

    A movement that a document no longer has is planned as its opposite.
    """

    __slots__ = ("_columns", "_dates")

    def __init__(self) -> None:
        self._dates: list[datetime] = []
        # Quantities, values, and the quantities of issues alone, in units of the last
        # place; those of a single movement have at most 18 digits.
        self._columns = (array("q"), array("q"), array("q"))

    def add(self, date: datetime, change: Stock, *, issued: bool) -> None:
        """Add the movement of an issue, or of a receipt."""
        quantity, value = _units(change.quantity), _units(change.value)
        added = (quantity, value, quantity if issued else 0)
        place = bisect_left(self._dates, date)
        if place < len(self._dates) and self._dates[place] == date:
            sums = [c[place] + a for c, a in zip(self._columns, added, strict=True)]
            if max(map(abs, sums)) <= _MOST:
                for column, units in zip(self._columns, sums, strict=True):
                    column[place] = units
                return
        self._dates.insert(place, date)
        for column, units in zip(self._columns, added, strict=True):
            column.insert(place, units)

    def after(self, moment: datetime) -> Iterator[tuple[datetime, Stock]]:
        """Yield the changes after a time, in order of date."""
        quantities, values, _issued = self._columns
        for place in range(bisect_right(self._dates, moment), len(self._dates)):
            quantity, value = _decimal(quantities[place]), _decimal(values[place])
            yield self._dates[place], Stock(quantity, value)

    def taken(self, moment: datetime) -> Decimal:
        """Return the quantity issued at one instant."""
        first = bisect_left(self._dates, moment)
        last = bisect_right(self._dates, moment)
        return -_decimal(sum(self._columns[2][first:last]))


def _units(value: Decimal) -> int:
    return int(value.scaleb(_PLACES))


def _decimal(units: int) -> Decimal:
    return Decimal(units).scaleb(-_PLACES)
