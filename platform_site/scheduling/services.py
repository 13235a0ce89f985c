"""Services that write jobs and compute when they are due. Each write records one change
event and wakes the scheduler."""

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
from platform_site.scheduling.schedule_times import upcoming

logger = logging.getLogger("platform.scheduling")
# The property as change events spell it, and the column.
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
    """Save a job that was filled in but never saved; ValidationError by field.

    PermissionDenied if the account it runs as may do more than whoever is acting.
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
    """Save what was changed on `job`; a running execution goes on as it began.

    Another schedule counts from now on: what it would have done before is not made up.
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
            # What a job does, it does with its user's rights: those it had, and those
            # it is given. To switch it off gives nobody anything.
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
    """Remove a job with its executions; the change event tells what it was."""
    with transaction.atomic():
        changes = {name: [value, None] for name, value in _described(job).items()}
        _record(ChangeEvent.Action.DELETED, job, changes)
        job.delete()


def run_now(*, job: Job, user: User) -> None:
    """Ask for an execution beside the schedule, also of a disabled job.

    Raise ValidationError while the job is running, and PermissionDenied where it works
    with rights that whoever is acting lacks.
    """
    _refuse_beyond_own(job)
    name = user.get_username()
    execution = history.claim(job, due_at=timezone.now(), started_by=name)
    if execution is None:
        message = _("“%(job)s” is already running, or about to start.") % {"job": job}
        raise ValidationError(message, code="running")
    # The one line that has the request and the execution it began.
    logger.info("The job “%s” shall run now: execution %d.", job, execution.pk)
    transaction.on_commit(ring)


def next_run(job: Job, instant: datetime.datetime) -> datetime.datetime | None:
    """Return when the job runs first after `instant`.

    None for a schedule that cannot be read. Only a direct write to the database can
    have stored one, and it must not keep the other jobs from running.
    """
    times = next_runs(job, instant, 1)
    return times[0] if times else None


def next_runs(
    job: Job, instant: datetime.datetime, count: int
) -> list[datetime.datetime]:
    """Return when the job runs next; empty for a schedule that cannot be read."""
    try:
        return upcoming(job.schedule, instant, count)
    except (ValueError, LookupError, ArithmeticError, OSError) as error:
        logger.warning("The job “%s” has no schedule: %s", job, error)
        return []


def _refuse_beyond_own(job: Job) -> None:
    if job.run_as is not None:
        refuse_beyond_own(job.run_as)


def _locked(job: Job) -> Job:
    # The job alone: its user may be nobody, and nobody cannot be locked.
    locked = Job.objects.select_for_update(of=("self",)).select_related("run_as")
    return locked.get(pk=job.pk)


def _described(job: Job) -> dict[str, Any]:
    """Return all properties of a job, its user by name."""
    properties = {name: getattr(job, column) for name, column in _COLUMNS.items()}
    return {**properties, "runAs": None if job.run_as is None else str(job.run_as)}


def _record(action: str, job: Job, changes: Mapping[str, Sequence[Any]]) -> None:
    record_security_change(action, job, changes)
    transaction.on_commit(ring)
