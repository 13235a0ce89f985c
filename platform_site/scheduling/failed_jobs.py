"""The event, for webhooks, that a job failed."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any, Final

from platform_site.scheduling.api import JobExecutionSerializer
from platform_site.scheduling.models import JobExecution
from platform_site.webhooks.events import (
    Event,
    EventSource,
    Look,
    message_key,
    register_source,
)
from platform_site.webhooks.models import EventType

TYPES: Final = (EventType.JOB_FAILED,)


def register() -> None:
    """Register the executions of jobs as a source of events."""
    register_source(EventSource(TYPES, found, _sees_executions))


def found(look: Look, most: int) -> Iterator[Event]:
    """Yield the executions that failed or were interrupted."""
    failed = JobExecution.objects.filter(
        job__isnull=False,
        status__in=JobExecution.UNSUCCESSFUL,
        finished_at__gte=look.since,
    )
    times = failed.order_by("finished_at", "pk").values_list("pk", "finished_at")
    new = look.new(((_key(pk, at), pk, at) for pk, at in times if at), most)
    rows = JobExecution.objects.select_related("job").in_bulk(new)
    for execution in (rows[pk] for pk in new if pk in rows):
        at = execution.finished_at or execution.due_at
        data = partial(_data_of, execution)
        yield Event(_key(execution.pk, at), EventType.JOB_FAILED.value, at, data)


def _key(pk: Any, at: Any) -> str:
    return message_key("execution", pk, at)


def _data_of(execution: JobExecution) -> dict[str, Any]:
    return {**JobExecutionSerializer(execution).data, "jobName": execution.what}


def _sees_executions(user: Any) -> bool:
    return bool(user.has_perm("scheduling.view_jobexecution"))
