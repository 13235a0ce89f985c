"""When the payment of a goods issue is due: some days after its date, as the constant
*PaymentDays* says on that day."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, datetime, timedelta
from typing import Any, Final

from django.db.models import Q

from catalogs import constants
from documents.constants import PAYMENT_DAYS
from documents.local_days import day_of, start_of

DEFAULT_DAYS: Final = 14
# Nobody waits longer, and the days stay in range.
_MOST: Final = 3650


class PaymentTerms:
    """The days within which payments are due, by the date of the issue; loaded once."""

    def __init__(self) -> None:
        self._since = [
            (since, _days(value)) for since, value in constants.history(PAYMENT_DAYS)
        ]
        self._since.append((date.min, DEFAULT_DAYS))

    def due_date(self, moment: datetime) -> date:
        """Return the day on which the payment of an issue of that time is due."""
        day = day_of(moment)
        days = next(days for since, days in self._since if since <= day)
        try:
            return day + timedelta(days=days)
        except OverflowError:
            return date.max

    def overdue(self, today: date) -> Q:
        """Return the condition that the payment of an issue was due before a day."""
        found = Q()
        for since, until, days in self._periods():
            end = min(until, _before(today, days))
            if since < end:
                dates: dict[str, Any] = {"date__lt": start_of(end)}
                if since > date.min:
                    dates["date__gte"] = start_of(since)
                found |= Q(**dates)
        return found or Q(pk__in=())

    def _periods(self) -> Iterator[tuple[date, date, int]]:
        """Yield the first day, the day after the last, and the days of payment."""
        until = date.max
        for since, days in self._since:
            yield since, until, days
            until = since


def _days(value: str) -> int:
    """Return the days that a constant says, the default if it says none."""
    text = value.strip()
    known = text.isascii() and text.isdigit() and len(text) <= len(str(_MOST))
    return min(int(text), _MOST) if known else DEFAULT_DAYS


def _before(day: date, days: int) -> date:
    try:
        return day - timedelta(days=days)
    except OverflowError:
        return date.min
