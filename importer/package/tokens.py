"""The date tokens of a package: ``$now``, ``$today``, ``$today±Nd`` (OPEN-26)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import UTC, date, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import msgspec

from importer.package.fields import FieldKind, FieldSpec

PATTERN = r"\$now|\$today(?:[+-][0-9]{1,5}d)?"
PLAIN = _NOW, _TODAY = "$now", "$today"
_TOKEN = re.compile(PATTERN)


class Moment(msgspec.Struct, frozen=True):
    """The instant and time zone in which a run resolves its tokens (OPEN-27)."""

    instant: datetime
    zone: ZoneInfo

    @property
    def today(self) -> date:
        """Return the local date of the instant."""
        return self.instant.astimezone(self.zone).date()


def is_token(text: str) -> bool:
    """Return whether a text is exactly one of the tokens."""
    return _TOKEN.fullmatch(text) is not None


def first_token(item: dict[str, Any], fields: Iterable[FieldSpec]) -> str:
    """Return the first property of an object with a token, empty if there is none."""
    for field in fields:
        value = item.get(field.name)
        dated = field.kind in (FieldKind.DATE, FieldKind.DATE_TIME)
        if dated and type(value) is str and is_token(value):
            return field.name
    return ""


def token_date(token: str, moment: Moment) -> date:
    """Return the local date of a token."""
    days = int(token.removeprefix(_TODAY)[:-1] or 0) if token != _NOW else 0
    return moment.today + timedelta(days=days)


def token_datetime(token: str, moment: Moment) -> datetime:
    """Return the instant of a token, in UTC.

    ``$now`` is the instant of the run; the others are local midnight. A missing or
    repeated midnight is read with ``fold=0`` (OPEN-27).
    """
    if token == _NOW:
        return moment.instant.astimezone(UTC)
    midnight = datetime.combine(token_date(token, moment), time(), moment.zone)
    return midnight.astimezone(UTC)
