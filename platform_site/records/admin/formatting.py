"""The formats of amounts, quantities and times in lists and on pages."""

from __future__ import annotations

from datetime import datetime, time
from decimal import Decimal

from django.template.defaultfilters import date
from django.utils import timezone

from platform_site.changes.labels import number_in_words

_CENTS = 2


def money(value: Decimal | int | None) -> str:
    """Return an amount with at least two decimal places and thousands separators."""
    return "" if value is None else number_in_words(value, _CENTS)


def quantity(value: Decimal | int | None) -> str:
    """Return a quantity without trailing zeros, with thousands separators."""
    return "" if value is None else number_in_words(value, 0)


def moment(value: datetime) -> str:
    """Return a time in the reader's zone, or in UTC if it is out of range there."""
    local = timezone.localtime(value) if has_local_time(value) else value
    return date(local, "SHORT_DATETIME_FORMAT")


def day_or_moment(value: datetime) -> str:
    """Return a time in the reader's zone, at midnight only its day."""
    local = timezone.localtime(value) if has_local_time(value) else value
    is_day = local.time() == time.min
    return date(local, "SHORT_DATE_FORMAT" if is_day else "SHORT_DATETIME_FORMAT")


def day(value: datetime) -> str:
    """Return the day of a time in the reader's zone."""
    local = timezone.localtime(value) if has_local_time(value) else value
    return date(local, "DATE_FORMAT")


def has_local_time(value: datetime) -> bool:
    """Return whether a time is in range in the reader's zone."""
    try:
        timezone.localtime(value)
    except OverflowError:
        return False
    return True
