"""The days of the books: those of ``Platform:TimeZone``, so that a document is due on the
same day for everybody."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from django.conf import settings
from django.utils import timezone


def today() -> date:
    """Return the current day."""
    return timezone.localdate(timezone=_zone())


def day_of(moment: datetime) -> date:
    """Return the day of an instant, that in UTC if it is out of range in the zone."""
    try:
        return moment.astimezone(_zone()).date()
    except OverflowError:
        return moment.astimezone(UTC).date()


def start_of(day: date, later: int = 0) -> datetime:
    """Return the midnight that begins a day, or one so many days later.

    Out of range it is the first or last possible instant.
    """
    try:
        begins = datetime.combine(day + timedelta(days=later), time(), _zone())
        return begins.astimezone(UTC)
    except OverflowError:
        end = datetime.max.replace(tzinfo=UTC)
        return end if later > 0 else datetime.min.replace(tzinfo=UTC)


def _zone() -> ZoneInfo:
    return ZoneInfo(settings.PLATFORM_TIME_ZONE)
