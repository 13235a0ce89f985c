"""The schedules that people choose from a list, and the cron expressions behind them."""

from __future__ import annotations

import datetime
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from django.core.exceptions import ValidationError
from django.db import models
from django.utils.translation import gettext as _, gettext_lazy

# Those after which an hour begins anew, so that the pauses are even.
EVERY_MINUTES: Final = (1, 2, 3, 5, 10, 15, 20, 30)
LAST_DAY: Final = 31
_WORKDAYS: Final = "1-5"
_DEFAULT_TIME: Final = datetime.time(2)
_TIME: Final = r"(?P<minute>\d{1,2}) (?P<hour>\d{1,2})"


class Preset(models.TextChoices):
    """The kinds of schedules to choose from."""

    MINUTES = "minutes", gettext_lazy("Every few minutes")
    HOURLY = "hourly", gettext_lazy("Every hour")
    DAILY = "daily", gettext_lazy("Every day")
    WORKDAYS = "workdays", gettext_lazy("From Monday to Friday")
    WEEKLY = "weekly", gettext_lazy("On days of the week")
    MONTHLY = "monthly", gettext_lazy("On a day of the month")
    INTERVAL = "interval", gettext_lazy("At a fixed interval")
    CRON = "cron", gettext_lazy("By a cron expression")


# The values that each preset needs, by the names of the form's fields.
NEEDED: Final[Mapping[str, tuple[str, ...]]] = {
    Preset.MINUTES: ("every",),
    Preset.HOURLY: ("minute",),
    Preset.DAILY: ("at",),
    Preset.WORKDAYS: ("at",),
    Preset.WEEKLY: ("weekdays", "at"),
    Preset.MONTHLY: ("day", "at"),
    Preset.INTERVAL: ("interval_seconds",),
    Preset.CRON: ("cron",),
}
_PATTERNS: Final = (
    (Preset.MINUTES, re.compile(r"\*(/(?P<every>\d{1,2}))? \* \* \* \*")),
    (Preset.HOURLY, re.compile(r"(?P<minute>\d{1,2}) \* \* \* \*")),
    (Preset.DAILY, re.compile(rf"{_TIME} \* \* \*")),
    (Preset.WORKDAYS, re.compile(rf"{_TIME} \* \* {_WORKDAYS}")),
    (Preset.WEEKLY, re.compile(rf"{_TIME} \* \* (?P<weekdays>[0-7](,[0-7])*)")),
    (Preset.MONTHLY, re.compile(rf"{_TIME} (?P<day>\d{{1,2}}) \* \*")),
)


@dataclass(frozen=True, slots=True)
class Times:
    """A schedule as it is stored: a cron expression, or an interval."""

    cron: str = ""
    interval_seconds: int | None = None


def chosen_times(values: Mapping[str, Any]) -> Times:
    """Return the schedule of a preset with its values; raise ValidationError by field for
    missing ones."""
    preset = values["when"]
    missing = [
        name for name in NEEDED[preset] if values.get(name) in (None, "", [], ())
    ]
    if missing:
        sentence = _("Choose a value for this schedule.")
        raise ValidationError(dict.fromkeys(missing, sentence))
    if preset == Preset.INTERVAL:
        return Times(interval_seconds=values["interval_seconds"])
    if preset == Preset.CRON:
        return Times(cron=values["cron"])
    return Times(cron=_cron(preset, values))


def preset_of(cron: str, interval_seconds: int | None) -> dict[str, Any]:
    """Return the preset of a stored schedule with its values, as initial values of the
    form."""
    if interval_seconds is not None:
        return {"when": Preset.INTERVAL}
    if not cron:
        return {"when": Preset.DAILY, "at": _DEFAULT_TIME}
    for preset, pattern in _PATTERNS:
        found = pattern.fullmatch(cron)
        values = None if found is None else _values(preset, found)
        if values is not None:
            return {"when": preset, **values}
    return {"when": Preset.CRON}


def _cron(preset: str, values: Mapping[str, Any]) -> str:
    if preset == Preset.MINUTES:
        every = int(values["every"])
        return "* * * * *" if every == 1 else f"*/{every} * * * *"
    if preset == Preset.HOURLY:
        return f"{values['minute']} * * * *"
    at: datetime.time = values["at"]
    days = {
        Preset.DAILY: "* * *",
        Preset.WORKDAYS: f"* * {_WORKDAYS}",
        Preset.WEEKLY: f"* * {','.join(values.get('weekdays') or ())}",
        Preset.MONTHLY: f"{values.get('day')} * *",
    }
    return f"{at.minute} {at.hour} {days[Preset(preset)]}"


def _values(preset: str, found: re.Match[str]) -> dict[str, Any] | None:
    """Return the values in an expression, None if the form doesn't offer them."""
    parts = {name: value for name, value in found.groupdict().items() if value}
    if preset == Preset.MINUTES:
        every = int(parts.get("every", 1))
        return {"every": every} if every in EVERY_MINUTES else None
    if preset == Preset.HOURLY:
        return {"minute": int(parts["minute"])}
    values: dict[str, Any] = {}
    if "weekdays" in parts:
        # Sunday is 0 and 7.
        numbers = sorted({int(each) % 7 for each in parts["weekdays"].split(",")})
        values["weekdays"] = [str(each) for each in numbers]
    if "day" in parts:
        values["day"] = int(parts["day"])
    try:
        time = datetime.time(int(parts["hour"]), int(parts["minute"]))
    except ValueError:
        return None
    return {**values, "at": time}
