"""What a schedule means: in words and by its next five moments, or why it means
nothing. The form asks while it is being filled in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from django.core.exceptions import ValidationError
from django.utils import timezone

from platform_site.scheduling.models import Job
from platform_site.scheduling.services import next_moments
from platform_site.scheduling.words import in_words, moment_in_words

MOMENTS: Final = 5
_SCHEDULE: Final = {"cron", "interval_seconds", "time_zone"}


@dataclass(frozen=True, slots=True)
class Preview:
    """Hold the words, the moments in the job's zone, or what is wrong."""

    words: str = ""
    zone: str = ""
    moments: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()


def preview(job: Job) -> Preview:
    """Return what the schedule of a job means, saved or not."""
    try:
        job.clean_fields(exclude=_all_but_the_schedule())
        job.clean_schedule()
    except ValidationError as error:
        return Preview(problems=tuple(error.messages))
    moments = next_moments(job, timezone.now(), MOMENTS)
    return Preview(
        in_words(job),
        str(job.zone),
        tuple(moment_in_words(moment, job.zone) for moment in moments),
    )


def _all_but_the_schedule() -> set[str]:
    return {field.name for field in Job._meta.fields} - _SCHEDULE
