"""The task queue: its kinds of jobs, and how they are stored, found and removed.

Jobs are stored with Django's connection, and so in the transaction of what they are
about: neither exists without the other.
"""

from __future__ import annotations

from collections.abc import Collection
from enum import StrEnum
from typing import Any, Final
from uuid import UUID

import msgspec
from asgiref.sync import async_to_sync
from django.conf import settings
from procrastinate import exceptions
from procrastinate.contrib.django import app
from procrastinate.contrib.django.models import ProcrastinateJob
from procrastinate.jobs import Status

from importer.services import RunJob, WorkerEngine
from platform_site.scheduling.models import JobExecution

# One import at a time, in the order in which they came.
_ONE_IMPORT: Final = "import"
_LIVE: Final = ("todo", "doing")


class JobKind(StrEnum):
    """The kinds of jobs, by the names of their tasks."""

    RUN = "platform.run"
    EXECUTION = "platform.execution"
    SENDING = "platform.sending"


class Queue(StrEnum):
    """The queues. Workers of one don't wait for the jobs of another."""

    IMPORTS = "imports"
    JOBS = "jobs"
    REQUESTS = "requests"
    SENDING = "sending"


class NodesEngine(WorkerEngine):
    """The engine of imports: whichever node is free carries one out."""

    def defer(self, job: RunJob) -> None:
        """Have a worker carry out a run."""
        values = msgspec.to_builtins(job)
        _defer(JobKind.RUN, queue=Queue.IMPORTS, lock=_ONE_IMPORT, args={"job": values})

    def deferred(self) -> Collection[UUID]:
        """Return the runs for which there are jobs."""
        jobs = _live(JobKind.RUN).values_list("args__job__run_id", flat=True)
        return {UUID(run_id) for run_id in jobs}


def defer_execution(execution: JobExecution) -> None:
    """Have a worker carry out an execution of a scheduled job, or a requested one."""
    queue = Queue.REQUESTS if execution.job_id is None else Queue.JOBS
    _defer(JobKind.EXECUTION, queue=queue, args={"execution": execution.pk})


def deferred_executions() -> set[int]:
    """Return the executions for which there are jobs."""
    return set(_live(JobKind.EXECUTION).values_list("args__execution", flat=True))


def defer_sending(name: str) -> None:
    """Have a worker send what is due of one kind, unless one is about to; two never do
    at once."""
    lock = f"send {name}"
    try:
        _defer(
            JobKind.SENDING,
            queue=Queue.SENDING,
            lock=lock,
            queueing_lock=lock,
            args={"sender": name},
        )
    except exceptions.AlreadyEnqueued:
        return


def abandoned_jobs() -> list[ProcrastinateJob]:
    """Return the jobs whose workers gave no sign of life for too long, by the clock of
    the database."""
    find = async_to_sync(app.job_manager.get_stalled_jobs)
    found = find(seconds_since_heartbeat=settings.PLATFORM_NODE_SECONDS)
    # Their arguments would be texts: Django reads JSON in its own fields only.
    wanted = [job.id for job in found]
    return list(ProcrastinateJob.objects.filter(pk__in=wanted).order_by("pk"))


def remove(job: ProcrastinateJob) -> None:
    """Remove a job that was begun and won't be ended by its worker."""
    finish = async_to_sync(app.job_manager.finish_job_by_id_async)
    finish(job.pk, status=Status.FAILED, delete_job=True)


def _defer(kind: JobKind, *, args: dict[str, Any], **options: Any) -> None:
    task = app.configure_task(kind.value, allow_unknown=True, **options)
    task.defer(**args)


def _live(kind: JobKind) -> Any:
    return ProcrastinateJob.objects.filter(task_name=kind, status__in=_LIVE)
