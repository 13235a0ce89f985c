"""The services that write jobs and compute their next runs. Each write records one
change event and wakes the scheduler."""

from __future__ import annotations

import datetime
import logging
from collections.abc import Mapping, Sequence
from typing import Any, Final

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from platform_site.accounts.delegation import refuse_beyond_own
from platform_site.accounts.models import User
from platform_site.accounts.security_log import record_security_change
from platform_site.changes.services import ChangeEvent
from platform_site.scheduling import history
from platform_site.scheduling.clock import ring
from platform_site.scheduling.models import Job
from platform_site.scheduling.owners import forget_job
from platform_site.scheduling.schedule_times import upcoming

logger = logging.getLogger("platform.scheduling")
# The property as in change events, and the column.
_COLUMNS: Final = {
    "name": "name",
    "processor": "processor",
    "input": "input",
    "cron": "cron",
    "intervalSeconds": "interval_seconds",
    "timeZone": "time_zone",
    "runAs": "run_as",
    "enabled": "enabled",
}
_OF_THE_SCHEDULE: Final = {"cron", "intervalSeconds", "timeZone", "enabled"}


def create_job(*, job: Job) -> Job:
    """Save a new job; raise ValidationError by field.

    Raise PermissionDenied if the account it runs as has more rights than the actor.
    """
    job.since = timezone.now()
    job.full_clean()
    _refuse_beyond_own(job)
    with transaction.atomic():
        job.save(force_insert=True)
        changes = {name: [None, value] for name, value in _described(job).items()}
        _record(ChangeEvent.Action.CREATED, job, changes)
    return job


def update_job(*, job: Job) -> Job:
    """Save the changes of `job`; a running execution isn't affected.

    A new schedule counts from now on; earlier runs are not made up.
    """
    job.full_clean()
    with transaction.atomic():
        stored = _locked(job)
        before, after = _described(stored), _described(job)
        changes = {
            name: [before[name], value]
            for name, value in after.items()
            if before[name] != value
        }
        if not changes:
            return job
        if changes.keys() != {"enabled"} or job.enabled:
            # A job uses its user's rights, the old one's and the new one's. Disabling it
            # gives nobody any.
            _refuse_beyond_own(stored)
            _refuse_beyond_own(job)
        columns = [_COLUMNS[name] for name in changes]
        if not _OF_THE_SCHEDULE.isdisjoint(changes):
            job.since = timezone.now()
            columns.append("since")
        job.save(update_fields=columns)
        _record(ChangeEvent.Action.UPDATED, job, changes)
    return job


def delete_job(*, job: Job) -> None:
    """Delete a job with its executions; the change event has its properties."""
    with transaction.atomic():
        changes = {name: [value, None] for name, value in _described(job).items()}
        _record(ChangeEvent.Action.DELETED, job, changes)
        forget_job(job)
        job.delete()


def run_now(*, job: Job, user: User) -> None:
    """Request an execution outside the schedule, also of a disabled job.

    Raise ValidationError while the job is running, and PermissionDenied if it uses
    rights that the actor doesn't have.
    """
    _refuse_beyond_own(job)
    name = user.get_username()
    execution = history.claim(job, due_at=timezone.now(), started_by=name)
    if execution is None:
        message = _("“%(job)s” is already running, or about to start.") % {"job": job}
        raise ValidationError(message, code="running")
    # The only line with both the request and the execution it started.
    logger.info(
        "The job “%s” was requested with Run now: execution %d.", job, execution.pk
    )
    transaction.on_commit(ring)


def next_run(job: Job, instant: datetime.datetime) -> datetime.datetime | None:
    """Return the time of the first run after `instant`.

    Return None for an invalid schedule, which only a direct write to the database can
    have stored; it must not prevent other jobs from running.
    """
    times = next_runs(job, instant, 1)
    return times[0] if times else None


def next_runs(
    job: Job, instant: datetime.datetime, count: int
) -> list[datetime.datetime]:
    """Return the next times of the job; empty for an invalid schedule."""
    try:
        return upcoming(job.schedule, instant, count)
    except (ValueError, LookupError, ArithmeticError, OSError) as error:
        logger.warning("The job “%s” has no schedule: %s", job, error)
        return []


def _refuse_beyond_own(job: Job) -> None:
    if job.run_as is not None:
        refuse_beyond_own(job.run_as)


def _locked(job: Job) -> Job:
    # Only the job: it may have no user, which can't be locked.
    locked = Job.objects.select_for_update(of=("self",)).select_related("run_as")
    return locked.get(pk=job.pk)


def _described(job: Job) -> dict[str, Any]:
    """Return all properties of a job, its user by name."""
    properties = {name: getattr(job, column) for name, column in _COLUMNS.items()}
    return {**properties, "runAs": None if job.run_as is None else str(job.run_as)}


def _record(action: str, job: Job, changes: Mapping[str, Sequence[Any]]) -> None:
    record_security_change(action, job, changes)
    transaction.on_commit(ring)
