"""Would stock be negative at any moment? The stock at a moment and all later changes
come in, the worst shortage goes out. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal


@dataclass(frozen=True, slots=True)
class Shortage:
    """A moment at which stock would be negative, and by how much; positive."""

    moment: datetime
    lacking: Decimal


def worst_shortage(
    opening: Decimal, since: datetime, changes: Iterable[tuple[datetime, Decimal]]
) -> Shortage | None:
    """Return the worst shortage from a moment on, None if stock always suffices.

    ``opening`` is the quantity after everything dated up to ``since``. What happens
    at one moment happens at once: a receipt covers an issue of the same date.
    """
    found = shortages(opening, since, changes)
    return max(found, key=lambda each: each.lacking, default=None)


def shortages(
    opening: Decimal, since: datetime, changes: Iterable[tuple[datetime, Decimal]]
) -> list[Shortage]:
    """Return every shortage from a moment on, in order, as `worst_shortage` has them."""
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
