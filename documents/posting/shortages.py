"""Pure functions that find when stock would be negative, from the stock at one time and
all later changes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal


@dataclass(frozen=True, slots=True)
class Shortage:
    """A time at which stock would be negative, and the missing quantity as a positive
    number."""

    moment: datetime
    lacking: Decimal


def shortages(
    opening: Decimal, since: datetime, changes: Iterable[tuple[datetime, Decimal]]
) -> list[Shortage]:
    """Return every shortage from a time on, in order.

    ``opening`` is the quantity after everything dated up to ``since``. Changes of the
    same instant count together: a receipt covers an issue of the same date.
    """
    by_moment: dict[datetime, Decimal] = {since: Decimal(0)}
    for moment, change in changes:
        at = max(moment, since)
        by_moment[at] = by_moment.get(at, Decimal(0)) + change
    quantity, found = opening, []
    for moment in sorted(by_moment):
        quantity += by_moment[moment]
        if quantity < 0:
            found.append(Shortage(moment, -quantity))
    return found
