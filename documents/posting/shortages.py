"""Would stock be negative at any moment? The stock at a moment and all later changes
come in, the worst shortage goes out. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal


@dataclass(frozen=True, slots=True)
class Shortage:
    """Say when most is lacking, and how much; ``lacking`` is positive."""

    moment: datetime
    lacking: Decimal


def worst_shortage(
    opening: Decimal, since: datetime, changes: Iterable[tuple[datetime, Decimal]]
) -> Shortage | None:
    """Return the worst shortage from a moment on, None if stock always suffices.

    ``opening`` is the quantity after everything dated up to ``since``. What happens
    at one moment happens at once: a receipt covers an issue of the same date.
    """
    by_moment: dict[datetime, Decimal] = {}
    for moment, change in changes:
        at = max(moment, since)
        by_moment[at] = by_moment.get(at, Decimal(0)) + change
    quantity = opening + by_moment.pop(since, Decimal(0))
    lowest, when = quantity, since
    for moment in sorted(by_moment):
        quantity += by_moment[moment]
        if quantity < lowest:
            lowest, when = quantity, moment
    return Shortage(when, -lowest) if lowest < 0 else None
