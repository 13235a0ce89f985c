"""Texts for schedules and for times of runs."""

from __future__ import annotations

import datetime
import itertools
from collections.abc import Callable
from typing import Final

from django.utils.dates import MONTHS, WEEKDAYS
from django.utils.formats import date_format
from django.utils.translation import gettext as _, ngettext, pgettext_lazy

from platform_site.scheduling.models import Job
from platform_site.scheduling.schedule_times import MONTH_NAMES, WEEKDAY_NAMES

_EVERY: Final = "*"
_MOST_TIMES: Final = 6
_MONTHS: Final = MONTH_NAMES.split("|")
# Sunday is 0 and 7; Django's own weekdays begin with Monday.
_WEEKDAYS: Final = WEEKDAY_NAMES.split("|")
# As they follow "every", from Sunday on; some languages have another form then.
_EVERY_WEEKDAY: Final = (
    pgettext_lazy("every", "Sunday"),
    pgettext_lazy("every", "Monday"),
    pgettext_lazy("every", "Tuesday"),
    pgettext_lazy("every", "Wednesday"),
    pgettext_lazy("every", "Thursday"),
    pgettext_lazy("every", "Friday"),
    pgettext_lazy("every", "Saturday"),
)
_MORNING: Final = 5


def in_words(job: Job) -> str:
    """Return the schedule of a job as text."""
    if job.interval_seconds is not None:
        return interval_in_words(job.interval_seconds)
    return cron_in_words(job.cron)


def interval_in_words(seconds: int) -> str:
    """Return an interval in the largest unit that fits it."""
    if seconds % 86_400 == 0:
        return _every_days(seconds // 86_400)
    if seconds % 3600 == 0:
        return _every_hours(seconds // 3600)
    if seconds % 60 == 0:
        return _every_minutes(seconds // 60)
    return _every_seconds(seconds)


def cron_in_words(expression: str) -> str:
    """Return a cron expression as text; an invalid one unchanged."""
    parts = expression.split()
    if len(parts) != 5:
        return expression
    minute, hour, *days = parts
    try:
        usual = _usual(minute, hour, *days)
        return usual or ", ".join([_times(minute, hour), *_on_days(*days)])
    except (ValueError, LookupError):
        return expression


def time_in_words(time: datetime.datetime, zone: datetime.tzinfo) -> str:
    """Return a time in a zone."""
    local = time.astimezone(zone)
    # Django's own "T" is empty in the repeated hour, where it matters most.
    return f"{date_format(local, 'D, j M Y, H:i:s')} {local.tzname()}"


# The number one is left out; a plural form for 1, 21 and 31 couldn't do that.
def _every_days(count: int) -> str:
    if count == 1:
        return _("every day")
    text = ngettext("every %(count)d day", "every %(count)d days", count)
    return text % {"count": count}


def _every_hours(count: int) -> str:
    if count == 1:
        return _("every hour")
    text = ngettext("every %(count)d hour", "every %(count)d hours", count)
    return text % {"count": count}


def _every_minutes(count: int) -> str:
    if count == 1:
        return _("every minute")
    text = ngettext("every %(count)d minute", "every %(count)d minutes", count)
    return text % {"count": count}


def _every_seconds(count: int) -> str:
    if count == 1:
        return _("every second")
    text = ngettext("every %(count)d second", "every %(count)d seconds", count)
    return text % {"count": count}


def _usual(minute: str, hour: str, day: str, month: str, weekday: str) -> str:
    """Return the words of a schedule as people choose it, empty for another one."""
    if month != _EVERY:
        return ""
    if (hour, day, weekday) == (_EVERY, _EVERY, _EVERY):
        return _within_the_hour(minute)
    times = _clock_times(minute, hour)
    if not times or _EVERY not in (day, weekday):
        return ""
    words = {"times": _joined(times)}
    if day == weekday:
        if all(time < f"{_MORNING:02}" for time in times):
            return _("every night at %(times)s") % words
        return _("every day at %(times)s") % words
    if weekday == "1-5":
        return _("from Monday to Friday at %(times)s") % words
    listed = (day if weekday == _EVERY else weekday).split(",")
    if not all(each.isalnum() for each in listed):
        return ""
    if weekday != _EVERY:
        numbers = [_weekday_number(each) for each in listed]
        words["days"] = _joined([str(_EVERY_WEEKDAY[each]) for each in numbers])
        return _("every %(days)s at %(times)s") % words
    if day == "1":
        return _("on the first of each month at %(times)s") % words
    words["days"] = _joined([str(int(each)) for each in listed])
    return _("on day %(days)s of each month at %(times)s") % words


def _within_the_hour(minute: str) -> str:
    if minute == _EVERY:
        return _every_minutes(1)
    if minute.startswith("*/"):
        return _every_minutes(int(minute[2:]))
    if minute.isdigit() and int(minute) == 0:
        return _every_hours(1)
    return _("at minute %(minute)s of every hour") % {"minute": minute}


def _clock_times(minute: str, hour: str) -> list[str]:
    """Return the times of a day, none if they aren't a short list."""
    minutes, hours = minute.split(","), hour.split(",")
    plain = all(each.isdigit() for each in (*minutes, *hours))
    if not plain or len(minutes) * len(hours) > _MOST_TIMES:
        return []
    pairs = itertools.product(hours, minutes)
    return sorted(f"{int(h):02}:{int(m):02}" for h, m in pairs)


def _joined(texts: list[str]) -> str:
    *others, last = texts
    if not others:
        return last
    words = {"first": ", ".join(others), "last": last}
    return _("%(first)s and %(last)s") % words


def _times(minute: str, hour: str) -> str:
    times = _clock_times(minute, hour)
    if times:
        return _("at %(times)s") % {"times": ", ".join(times)}
    if hour == _EVERY and minute == _EVERY:
        return _every_minutes(1)
    if hour == _EVERY and minute.startswith("*/"):
        return _every_minutes(int(minute[2:]))
    if minute == _EVERY:
        return _("every minute of hour %(hour)s") % {"hour": hour}
    if hour == _EVERY:
        return _("at minute %(minute)s of every hour") % {"minute": minute}
    return _("at minute %(minute)s of hour %(hour)s") % {"minute": minute, "hour": hour}


def _on_days(day: str, month: str, weekday: str) -> list[str]:
    found = []
    either = [
        _("on day %(day)s of the month") % {"day": _listed(day, str)},
        _("on %(weekday)s") % {"weekday": _listed(weekday, _weekday)},
    ]
    if day == _EVERY and weekday == _EVERY:
        found.append(_("every day"))
    elif _EVERY in (day, weekday):
        found.append(either[day == _EVERY])
    else:
        # As in cron, one of the two suffices.
        found.append(_("%(one)s or %(other)s") % {"one": either[0], "other": either[1]})
    if month != _EVERY:
        found.append(_("in %(month)s") % {"month": _listed(month, _month)})
    return found


def _listed(part: str, name: Callable[[str], str]) -> str:
    return ", ".join(_piece(piece, name) for piece in part.split(","))


def _piece(piece: str, name: Callable[[str], str]) -> str:
    if "/" in piece or piece == _EVERY:
        return piece
    first, dash, second = piece.partition("-")
    if not dash:
        return name(first)
    return _("%(first)s to %(last)s") % {"first": name(first), "last": name(second)}


def _weekday(text: str) -> str:
    return str(WEEKDAYS[(_weekday_number(text) - 1) % 7])


def _weekday_number(text: str) -> int:
    """Return the number of a weekday; Sunday is 0."""
    number = int(text) if text.isdigit() else _WEEKDAYS.index(text.casefold())
    return number % 7


def _month(text: str) -> str:
    number = int(text) if text.isdigit() else _MONTHS.index(text.casefold()) + 1
    return str(MONTHS[number])
