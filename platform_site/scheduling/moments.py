"""When a job is due next: schedules are pure functions of their definition and of an
instant, so that every process, and every restart, finds the same moments (OPEN-75)."""

from __future__ import annotations

import datetime
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Protocol

from croniter import CroniterBadCronError, CroniterBadDateError, croniter
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

if TYPE_CHECKING:
    from collections.abc import Iterator
    from zoneinfo import ZoneInfo

PARTS: Final = (
    gettext_noop("minute"),
    gettext_noop("hour"),
    gettext_noop("day of the month"),
    gettext_noop("month"),
    gettext_noop("day of the week"),
)
LONGEST_INTERVAL_SECONDS: Final = 366 * 24 * 60 * 60
_MONTHS = "jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec"
_WEEKDAYS = "sun|mon|tue|wed|thu|fri|sat"
_NAMES: Final = {"month": _MONTHS, "day of the week": _WEEKDAYS}
# A whole day and a little: some islands have moved across the date line.
_AROUND: Final = datetime.timedelta(hours=25)


class ScheduleError(ValueError):
    """Say in a sentence why an expression is no schedule."""


class Schedule(Protocol):
    """Find moments."""

    def next_after(self, instant: datetime.datetime) -> datetime.datetime:
        """Return the first moment later than `instant`, in UTC."""


@dataclass(frozen=True, slots=True)
class Interval:
    """Come every so many seconds, counted from an instant.

    Seconds are real ones, whatever the clocks on the walls are set to.
    """

    seconds: int
    since: datetime.datetime

    def next_after(self, instant: datetime.datetime) -> datetime.datetime:
        """Return the first moment later than `instant`, in UTC."""
        step = datetime.timedelta(seconds=self.seconds)
        since = self.since.astimezone(datetime.UTC)
        passed = (instant - since) // step
        return since + step * max(passed + 1, 1)


@dataclass(frozen=True, slots=True)
class Cron:
    """Come at the wall clock's times that a cron expression of five parts names.

    Where the clock is set forward, a time that does not exist comes as much later as
    the clock was moved. Where it is set back, a time that comes twice counts the first
    time only, unless the hour is `*` or `*/n`: then both count.
    """

    expression: str
    zone: ZoneInfo

    def next_after(self, instant: datetime.datetime) -> datetime.datetime:
        """Return the first moment later than `instant`, in UTC."""
        here = instant.astimezone(self.zone)
        start = here.replace(tzinfo=None, fold=0) - self._shift_around(instant)
        found: datetime.datetime | None = None
        end: datetime.datetime | None = None
        for wall in self._walls(start):
            if end is not None and wall > end:
                break
            for moment in self._moments(wall):
                if moment > instant and (found is None or moment < found):
                    found = moment
                    # A later time on the wall may still be the earlier instant.
                    end = wall + self._shift_around(moment)
        if found is None:
            raise ScheduleError(_never(self.expression))
        return found

    def _walls(self, start: datetime.datetime) -> Iterator[datetime.datetime]:
        """Return the times on the wall that the expression names, in order."""
        # One second earlier, so that `start` itself is among them.
        times = croniter(self.expression, start - datetime.timedelta(seconds=1))
        while True:
            try:
                yield times.get_next(datetime.datetime)
            except CroniterBadDateError:
                return

    def _moments(self, wall: datetime.datetime) -> Iterator[datetime.datetime]:
        first = wall.replace(tzinfo=self.zone, fold=0)
        yield first.astimezone(datetime.UTC)
        second = first.replace(fold=1)
        comes_twice = second.utcoffset() < first.utcoffset()  # type: ignore[operator]
        if comes_twice and self.expression.split()[1].startswith("*"):
            yield second.astimezone(datetime.UTC)

    def _shift_around(self, instant: datetime.datetime) -> datetime.timedelta:
        """Return how far the wall clock is moved within a day of an instant."""
        offsets = [
            (instant + distance).astimezone(self.zone).utcoffset()
            for distance in (-_AROUND, datetime.timedelta(), _AROUND)
        ]
        known = [offset for offset in offsets if offset is not None]
        return max(known) - min(known)


def upcoming(
    schedule: Schedule, instant: datetime.datetime, count: int
) -> list[datetime.datetime]:
    """Return the next moments after an instant."""
    moments = [instant]
    for _moment in range(count):
        moments.append(schedule.next_after(moments[-1]))
    return moments[1:]


def checked_cron(expression: str) -> str:
    """Return the expression with single blanks; ScheduleError for what is wrong."""
    parts = expression.split()
    if len(parts) != len(PARTS):
        message = _(
            "A cron expression has five parts (%(parts)s), this one has %(count)d; "
            "“0 2 * * *” means every day at 02:00."
        )
        names = ", ".join(_(name) for name in PARTS)
        raise ScheduleError(message % {"parts": names, "count": len(parts)})
    for name, part in zip(PARTS, parts, strict=True):
        _check_part(name, part)
    tidy = " ".join(parts)
    try:
        next(croniter(tidy, datetime.datetime(2000, 1, 1)).all_next())  # noqa: DTZ001 - any
    except CroniterBadDateError:
        raise ScheduleError(_never(tidy)) from None
    except (CroniterBadCronError, ValueError, ArithmeticError, LookupError):
        message = _("“%(expression)s” is no cron expression.")
        raise ScheduleError(message % {"expression": tidy}) from None
    return tidy


def _check_part(name: str, part: str) -> None:
    value = rf"(?:\d{{1,2}}|{_NAMES[name]})" if name in _NAMES else r"\d{1,2}"
    piece = rf"(?:\*|{value}(?:-{value})?)(?:/\d{{1,2}})?"
    fits = re.fullmatch(rf"{piece}(?:,{piece})*", part, re.ASCII | re.IGNORECASE)
    others = ["*"] * len(PARTS)
    others[PARTS.index(name)] = part
    if not fits or not croniter.is_valid(" ".join(others)):
        message = _(
            "“%(part)s” is no %(name)s: use numbers within its range, *, a list such "
            "as 1,15, a range such as 1-5, or a step such as */10."
        )
        raise ScheduleError(message % {"part": part, "name": _(name)})


def _never(expression: str) -> str:
    message = _("“%(expression)s” names no day that the calendar has.")
    return message % {"expression": expression}
