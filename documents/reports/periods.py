"""Periods of reports: the moments at which they begin, and grouping rows by them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from django.db.models import Case, IntegerField, Value, When
from django.utils import timezone

_MONTHS = 12


def midnight(now: datetime | None = None) -> datetime:
    """Return the first moment of today in the current time zone."""
    local = timezone.localtime(now)
    return local.replace(hour=0, minute=0, second=0, microsecond=0)


def months(count: int, now: datetime | None = None) -> list[datetime]:
    """Return the first moments of the last `count` months, the current one included,
    and of the month after it."""
    today = midnight(now)
    last = today.year * _MONTHS + today.month - 1
    return [_month(today, last - count + 1 + number) for number in range(count + 1)]


def _month(today: datetime, number: int) -> datetime:
    year, month = divmod(number, _MONTHS)
    return today.replace(year=year, month=month + 1, day=1)


def days(count: int, now: datetime | None = None) -> list[datetime]:
    """Return the first moments of the last `count` days, today included, and of
    tomorrow."""
    today = midnight(now)
    # The clock of a zone may be changed in between, the date is not.
    return [today + timedelta(days=n - count + 1) for n in range(count + 1)]


def period_of(column: str, edges: Sequence[datetime]) -> Case:
    """Return the expression for the period of a row: the number of edges that are not
    after its date."""
    whens = [
        When(**{f"{column}__lt": edge}, then=Value(number))
        for number, edge in enumerate(edges)
    ]
    return Case(*whens, default=Value(len(edges)), output_field=IntegerField())
