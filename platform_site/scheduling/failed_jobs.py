"""The event, for webhooks, that a job failed."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any, Final

from platform_site.scheduling.api import JobExecutionSerializer
from platform_site.scheduling.models import JobExecution
from platform_site.webhooks.events import OVERLAP, Event, Source, register_source
from platform_site.webhooks.models import EventType, Webhook

TYPES: Final = (EventType.JOB_FAILED,)
_FAILED: Final = (JobExecution.Status.FAILED, JobExecution.Status.INTERRUPTED)


def register() -> None:
    """Register the executions of jobs as a source of events."""
    register_source(Source(TYPES, found, _sees_executions))


def found(webhook: Webhook, most: int) -> Iterator[Event]:
    """Yield the executions that failed since the webhook was last asked about."""
    since = max(webhook.created_at, webhook.seen_at - OVERLAP)
    failed = JobExecution.objects.filter(status__in=_FAILED, finished_at__gte=since)
    for execution in failed.select_related("job").order_by("finished_at", "pk"):
        at = execution.finished_at or execution.due_at
        data = partial(_data_of, execution)
        yield Event(f"execution-{execution.pk}", EventType.JOB_FAILED.value, at, data)


def _data_of(execution: JobExecution) -> dict[str, Any]:
    return {**JobExecutionSerializer(execution).data, "jobName": execution.job.name}


def _sees_executions(user: Any) -> bool:
    return bool(user.has_perm("scheduling.view_jobexecution"))
