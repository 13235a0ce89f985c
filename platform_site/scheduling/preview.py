"""The preview of a schedule in its form: as text with its next five runs, or why it is
invalid."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from django.core.exceptions import ValidationError
from django.utils import timezone

from platform_site.scheduling.labels import in_words, time_in_words
from platform_site.scheduling.models import Job
from platform_site.scheduling.services import next_runs

RUNS_SHOWN: Final = 5
_SCHEDULE: Final = {"cron", "interval_seconds", "time_zone"}


@dataclass(frozen=True, slots=True)
class Preview:
    """A schedule as text with its next runs in the job's zone, or its error."""

    words: str = ""
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
        str(job.zone),
        tuple(time_in_words(time, job.zone) for time in times),
    )
