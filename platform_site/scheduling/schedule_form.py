"""The fields with which people choose when a job runs."""

from __future__ import annotations

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.dates import WEEKDAYS
from django.utils.translation import gettext_lazy as _

from platform_site.scheduling.presets import (
    EVERY_MINUTES,
    LAST_DAY,
    NEEDED,
    Preset,
    Times,
    chosen_times,
)

FIELDS = ("when", "every", "minute", "at", "weekdays", "day")
# While another value is wrong, so that the job doesn't complain about a missing schedule.
_ANY = Times(cron="0 0 * * *")


def _weekdays() -> list[tuple[str, Any]]:
    """Return the days of the week from Monday on; Sunday is 0."""
    return [(str((number + 1) % 7), name) for number, name in WEEKDAYS.items()]


class ScheduleForm(forms.Form):
    """The fields of a schedule: its kind, and what this kind needs.

    Without a kind the cron expression and the interval count as they are given.
    """

    when = forms.ChoiceField(label=_("Runs"), choices=Preset.choices, required=False)
    every = forms.TypedChoiceField(
        label=_("Every how many minutes"),
        choices=[(each, str(each)) for each in EVERY_MINUTES],
        coerce=int,
        empty_value=None,
        required=False,
    )
    minute = forms.IntegerField(
        label=_("Minute of the hour"),
        min_value=0,
        max_value=59,
        required=False,
        initial=0,
    )
    at = forms.TimeField(
        label=_("Time of day"),
        required=False,
        widget=forms.TimeInput(attrs={"type": "time"}, format="%H:%M"),
        input_formats=["%H:%M", "%H:%M:%S"],
    )
    weekdays = forms.MultipleChoiceField(
        label=_("Days of the week"),
        choices=_weekdays,
        required=False,
        widget=forms.CheckboxSelectMultiple(attrs={"class": "job-weekdays"}),
    )
    day = forms.TypedChoiceField(
        label=_("Day of the month"),
        choices=[(each, str(each)) for each in range(1, LAST_DAY + 1)],
        coerce=int,
        empty_value=None,
        required=False,
        help_text=_("Months without this day are left out."),
    )

    def clean(self) -> Any:
        """Put the chosen schedule into the cron expression or the interval."""
        cleaned = super().clean() or self.cleaned_data
        preset = cleaned.get("when")
        if not preset:
            return cleaned
        times = _ANY
        if not any(name in self.errors for name in NEEDED[preset]):
            try:
                times = chosen_times(cleaned)
            except ValidationError as error:
                self.add_error(None, error)
        cleaned["cron"] = times.cron
        cleaned["interval_seconds"] = times.interval_seconds
        return cleaned
