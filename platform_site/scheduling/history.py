"""The history of executions: requested by schedule or users, started and ended by the
scheduler, and pruned. No other module writes it."""

from __future__ import annotations

import datetime
import logging
import socket
from collections.abc import Collection
from typing import Final

from django.conf import settings
from django.db import IntegrityError, InterfaceError, OperationalError, transaction
from django.utils.module_loading import import_string
from django.utils.translation import gettext as _

from platform_site.processing.result_display import is_without_changes
from platform_site.scheduling.execution import Ending, unexpected
from platform_site.scheduling.models import Job, JobExecution
from platform_site.scheduling.owners import notify_owners

logger = logging.getLogger("platform.scheduling")
Status = JobExecution.Status
# What carrying out an execution reads.
NEEDED: Final = ("job__run_as", "requested_by", "api_key__user")


def claim(
    job: Job, *, due_at: datetime.datetime, started_by: str
) -> JobExecution | None:
    """Record that the job should run; return None while it is running or waiting."""
    try:
        return store(
            JobExecution(
                job=job, processor=job.processor, due_at=due_at, started_by=started_by
            )
        )
    except IntegrityError:
        return None


@transaction.atomic
def store(execution: JobExecution) -> JobExecution:
    """Store a new execution that waits, together with the job of a worker for it."""
    execution.status = Status.WAITING
    execution.save(force_insert=True)
    if deferrer := settings.PLATFORM_JOB_DEFERRER:
        import_string(deferrer)(execution)
    return execution


def waiting(count: int, *, requested: bool = False) -> list[JobExecution]:
    """Return the longest waiting executions, of jobs or requested ones, with what
    carrying them out needs."""
    claimed = JobExecution.objects.filter(
        status=Status.WAITING, job__isnull=requested
    ).select_related(*NEEDED)
    return list(claimed.order_by("pk")[:count])


def begin(execution: JobExecution, *, at: datetime.datetime) -> bool:
    """Record the start of an execution; return False if it was deleted or started
    already."""
    user = execution.user
    begun = JobExecution.objects.filter(pk=execution.pk, status=Status.WAITING).update(
        status=Status.RUNNING,
        started_at=at,
        run_as="" if user is None else user.get_username(),
    )
    execution.started_at = at
    return begun > 0


@transaction.atomic
def end(execution: JobExecution, ending: Ending, *, at: datetime.datetime) -> None:
    """Record the end of an execution, notify the owners of the job, and delete its
    oldest executions."""
    ended = JobExecution.objects.filter(pk=execution.pk).update(
        status=ending.status,
        finished_at=at,
        result=ending.result,
        message=ending.message,
        quiet_streak=_quiet_streak(execution, ending),
    )
    if ended:
        failed = ending.status != Status.COMPLETED
        notify_owners(execution, failed=failed, reason=ending.message, at=at)
    _prune(execution)


def end_safely(
    execution: JobExecution, ending: Ending, *, at: datetime.datetime
) -> None:
    """Record an end; if its result can't be stored, record a failure instead.

    Raise OperationalError or InterfaceError while the database is unavailable.
    """
    try:
        end(execution, ending, at=at)
    except (OperationalError, InterfaceError):
        raise
    except Exception:
        logger.exception("The result of the job “%s” cannot be stored", execution)
        end(execution, Ending(Status.FAILED, unexpected()), at=at)


def note_begin(execution: JobExecution) -> None:
    """Log that an execution begins, with the machine, because one of several nodes may
    have it."""
    logger.info("The job “%s” begins on %s.", execution.what, socket.gethostname())


def note_end(execution: JobExecution, ending: Ending, *, at: datetime.datetime) -> None:
    """Log how an execution ended, and why it failed."""
    failed = ending.status != Status.COMPLETED
    reason = " ".join(ending.message.split()) if failed else ""
    logger.log(
        logging.WARNING if failed else logging.INFO,
        "The job “%s” ended: %s on %s after %.1f s.%s",
        execution.what,
        ending.status,
        socket.gethostname(),
        (at - (execution.started_at or at)).total_seconds(),
        f" {reason}" if reason else "",
    )


def unfinished() -> set[int]:
    """Return the executions that wait or run."""
    found = JobExecution.objects.filter(status__in=JobExecution.UNFINISHED)
    return set(found.values_list("pk", flat=True))


@transaction.atomic
def interrupt_unfinished(*, at: datetime.datetime, but: Collection[int] = ()) -> int:
    """End the executions of a dead scheduler and return their number.

    `but` names executions that are still running. What was requested and hasn't begun
    keeps waiting for its turn.
    """
    found = JobExecution.objects.filter(status__in=JobExecution.UNFINISHED)
    keeps = found.filter(job__isnull=True, status=Status.WAITING)
    keep = {*but, *keeps.values_list("pk", flat=True)}
    return interrupt(unfinished() - keep, at=at)


@transaction.atomic
def interrupt(executions: Collection[int], *, at: datetime.datetime) -> int:
    """End those of some executions that have not ended yet; return their number."""
    waiting = JobExecution.objects.filter(status__in=JobExecution.UNFINISHED)
    locked = waiting.select_for_update(of=("self",)).select_related("job")
    dead = list(locked.filter(pk__in=executions))
    reason = _("The platform was stopped before the execution ended.")
    JobExecution.objects.filter(pk__in=[each.pk for each in dead]).update(
        status=Status.INTERRUPTED, finished_at=at, message=reason
    )
    for execution in dead:
        notify_owners(execution, failed=True, reason=reason, at=at)
    return len(dead)


def _quiet_streak(execution: JobExecution, ending: Ending) -> int:
    """Return how many executions in a row have changed nothing, zero if this one has;
    fold the one before it."""
    if execution.job is None:
        return 0
    is_quiet = ending.status == Status.COMPLETED and is_without_changes(
        execution.processor, ending.result
    )
    if not is_quiet:
        return 0
    earlier = JobExecution.objects.filter(
        job=execution.job_id, finished_at__isnull=False
    ).exclude(pk=execution.pk)
    before = earlier.order_by("-pk").only("quiet_streak").first()
    if before is None or not before.quiet_streak:
        return 1
    JobExecution.objects.filter(pk=before.pk).update(folded=True)
    return before.quiet_streak + 1


def _prune(execution: JobExecution) -> None:
    """Delete the oldest executions of the same job, or requests of the same user."""
    keep = settings.PLATFORM_EXECUTIONS_TO_KEEP
    if not keep:
        return
    ended = JobExecution.objects.filter(
        job=execution.job_id,
        requested_by=execution.requested_by_id,
        finished_at__isnull=False,
    )
    oldest_kept = ended.order_by("-pk").values_list("pk", flat=True)[keep - 1 : keep]
    for pk in oldest_kept:
        ended.filter(pk__lt=pk).delete()
