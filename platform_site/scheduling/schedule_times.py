"""The times of schedules: pure functions of their definition and an instant, so that
every process gets the same times, also after a restart (OPEN-75)."""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Protocol
from zoneinfo import ZoneInfo

from croniter import CroniterBadCronError, CroniterBadDateError, croniter
from django.utils.translation import gettext as _, gettext_noop

PARTS: Final = (
    gettext_noop("minute"),
    gettext_noop("hour"),
    gettext_noop("day of the month"),
    gettext_noop("month"),
    gettext_noop("day of the week"),
)
# Sunday is 0 and 7.
_RANGES: Final = ((0, 59), (0, 23), (1, 31), (1, 12), (0, 7))
LONGEST_INTERVAL_SECONDS: Final = 366 * 24 * 60 * 60
# Joined into a pattern.
MONTH_NAMES: Final = "jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec"
WEEKDAY_NAMES: Final = "sun|mon|tue|wed|thu|fri|sat"
_NAMES: Final = {"month": MONTH_NAMES, "day of the week": WEEKDAY_NAMES}
# More than a day: some islands have moved across the date line.
_AROUND: Final = datetime.timedelta(hours=25)


class ScheduleError(ValueError):
    """The reason why an expression is not a valid schedule."""


class Schedule(Protocol):
    """The times at which a job is due."""

    def next_after(self, instant: datetime.datetime) -> datetime.datetime:
        """Return the first time later than `instant`, in UTC."""


@dataclass(frozen=True, slots=True)
class Interval:
    """A schedule with a fixed number of seconds between runs, counted from an instant.

    It counts elapsed time; changes of the wall clock don't matter.
    """

    seconds: int
    since: datetime.datetime

    def next_after(self, instant: datetime.datetime) -> datetime.datetime:
        """Return the first time later than `instant`, in UTC."""
        step = datetime.timedelta(seconds=self.seconds)
        since = self.since.astimezone(datetime.UTC)
        passed = (instant - since) // step
        return since + step * max(passed + 1, 1)


@dataclass(frozen=True, slots=True)
class Cron:
    """A schedule in wall-clock time, as a cron expression of five fields.

    When the clock is set forward, a skipped time moves later by the same amount. When
    it is set back, a repeated time counts only the first time, unless the hour is `*`
    or `*/n`: then both count.
    """

    expression: str
    zone: ZoneInfo

    def next_after(self, instant: datetime.datetime) -> datetime.datetime:
        """Return the first time later than `instant`, in UTC."""
        here = instant.astimezone(self.zone)
        start = here.replace(tzinfo=None, fold=0) - self._shift_around(instant)
        found: datetime.datetime | None = None
        end: datetime.datetime | None = None
        for wall in self._walls(start):
            if end is not None and wall > end:
                break
            for time in self._instants(wall):
                if time > instant and (found is None or time < found):
                    found = time
                    # A later wall-clock time may still be the earlier instant.
                    end = wall + self._shift_around(time)
        if found is None:
            raise ScheduleError(_never(self.expression))
        return found

    def _walls(self, start: datetime.datetime) -> Iterator[datetime.datetime]:
        """Yield the wall-clock times of the expression, in order."""
        # One second earlier, so that `start` itself is among them.
        times = croniter(self.expression, start - datetime.timedelta(seconds=1))
        while True:
            try:
                yield times.get_next(datetime.datetime)
            except CroniterBadDateError:
                return

    def _instants(self, wall: datetime.datetime) -> Iterator[datetime.datetime]:
        first = wall.replace(tzinfo=self.zone, fold=0)
        yield first.astimezone(datetime.UTC)
        second = first.replace(fold=1)
        occurs_twice = second.utcoffset() < first.utcoffset()  # type: ignore[operator]
        if occurs_twice and self.expression.split()[1].startswith("*"):
            yield second.astimezone(datetime.UTC)

    def _shift_around(self, instant: datetime.datetime) -> datetime.timedelta:
        """Return the change of the wall clock within a day of an instant."""
        offsets = [
            (instant + distance).astimezone(self.zone).utcoffset()
            for distance in (-_AROUND, datetime.timedelta(), _AROUND)
        ]
        known = [offset for offset in offsets if offset is not None]
        return max(known) - min(known)


def upcoming(
    schedule: Schedule, instant: datetime.datetime, count: int
) -> list[datetime.datetime]:
    """Return the next times after an instant."""
    times = [instant]
    for _time in range(count):
        times.append(schedule.next_after(times[-1]))
    return times[1:]


def checked_cron(expression: str) -> str:
    """Return the expression with single blanks; raise ScheduleError for errors."""
    parts = expression.split()
    if len(parts) != len(PARTS):
        message = _(
            "A cron expression has five parts (%(parts)s), but this one has "
            "%(count)d; “0 2 * * *” means every day at 02:00."
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
        message = _("“%(expression)s” isn't a cron expression.")
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
            "“%(part)s” isn't a valid %(name)s: use numbers from %(least)s to "
            "%(most)s, *, a list such as 1,15, a range such as 1-5, or a step such as */10."
        )
        least, most = _RANGES[PARTS.index(name)]
        words = {"part": part, "name": _(name), "least": least, "most": most}
        raise ScheduleError(message % words)


def _never(expression: str) -> str:
    message = _("“%(expression)s” never matches an existing date.")
    return message % {"expression": expression}
