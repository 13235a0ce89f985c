"""The preview of a schedule in its form: as text with its next five runs, or why it is
invalid."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from django import forms
from django.core.exceptions import ValidationError
from django.utils import timezone

from platform_site.scheduling.labels import in_words, time_in_words
from platform_site.scheduling.models import Job
from platform_site.scheduling.schedule_form import ScheduleForm
from platform_site.scheduling.services import next_runs

RUNS_SHOWN: Final = 5
_SCHEDULE: Final = {"cron", "interval_seconds", "time_zone"}


@dataclass(frozen=True, slots=True)
class Preview:
    """A schedule as text with its next runs in the job's zone, or its error."""

    words: str = ""
    cron: str = ""
    zone: str = ""
    next_runs: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()


def preview(job: Job) -> Preview:
    """Return the preview of a job's schedule, saved or not."""
    others = {field.name for field in Job._meta.fields} - _SCHEDULE
    try:
        job.clean_fields(exclude=others)
        job.clean_schedule()
    except ValidationError as error:
        return Preview(problems=tuple(error.messages))
    times = next_runs(job, timezone.now(), RUNS_SHOWN)
    return Preview(
        in_words(job),
        job.cron,
        str(job.zone),
        tuple(time_in_words(time, job.zone) for time in times),
    )


class _TypedSchedule(ScheduleForm):
    """The schedule of a job as it is being typed."""

    cron = forms.CharField(required=False)
    interval_seconds = forms.CharField(required=False)
    time_zone = forms.CharField(required=False)

    def clean_interval_seconds(self) -> int | None:
        """Return the number; the form of the job refuses what isn't one."""
        text = self.cleaned_data["interval_seconds"].strip()
        return int(text) if is_number(text) else None


def preview_of_typed(data: Mapping[str, Any]) -> Preview:
    """Return the preview of a schedule that is being typed."""
    form = _TypedSchedule(data)
    if not form.is_valid():
        said = dict.fromkeys(str(one) for each in form.errors.values() for one in each)
        return Preview(problems=tuple(said))
    given = form.cleaned_data
    return preview(
        Job(
            cron=given["cron"],
            interval_seconds=given["interval_seconds"],
            time_zone=given["time_zone"],
        )
    )


def is_number(text: str) -> bool:
    """Return whether a text is a number that an interval may be."""
    return text.isascii() and text.isdigit() and len(text) <= len("31622400")
