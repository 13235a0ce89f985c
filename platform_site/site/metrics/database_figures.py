"""The metrics that are in the database: imports, jobs, and the use of the licence."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from django.db.models import Max
from prometheus_client import Metric

from documents.licence_guard import created_this_month
from documents.models import Document
from importer.models import ImportRun
from importer.services import counts_of, queue_positions, running_run
from licensing.services import current_limits
from platform_site.accounts.models import User
from platform_site.scheduling.models import Job, JobExecution
from platform_site.site.metrics.snapshot import gauge, gauges
from platform_site.site.status.health import probe_connection

_ENDED = (
    ImportRun.Status.COMPLETED,
    ImportRun.Status.FAILED,
    ImportRun.Status.INTERRUPTED,
)
# `job` is the label that Prometheus itself gives to what it watches.
_LABEL = "job_name"
_FAILED = (JobExecution.Status.FAILED, JobExecution.Status.INTERRUPTED)


def database_figures() -> Iterator[Metric]:
    """Yield the metrics; the thread ends soon, and its connection with it."""
    with probe_connection():
        yield from _imports()
        yield from _jobs()
        yield from _licence_use()


def _imports() -> Iterator[Metric]:
    run = running_run()
    yield gauge("import_running", "Whether an import or dry run runs.", bool(run))
    yield gauge(
        "import_objects_done",
        "Objects that the present run has handled, or checked while their number is "
        "unknown.",
        0 if run is None else run.done,
    )
    yield gauge(
        "import_objects_total",
        "Objects of the present run, 0 while it is unknown.",
        0 if run is None else run.total or 0,
    )
    yield gauge(
        "import_started_timestamp_seconds",
        "When the present run began, 0 without one.",
        _seconds(None if run is None else run.started_at),
    )
    yield gauges(
        "import_outcomes",
        "Objects of the present run by outcome.",
        "outcome",
        () if run is None else counts_of(run).items(),
    )
    yield gauge("import_queue_length", "Runs in the queue.", len(queue_positions()))
    yield gauges(
        "import_last_end_timestamp_seconds",
        "When the newest real run with this status ended, 0 without one.",
        "status",
        [(status.value, _seconds(_last_end(status))) for status in _ENDED],
    )


def _last_end(status: ImportRun.Status) -> datetime | None:
    ended = ImportRun.objects.real().filter(status=status)
    newest = ended.order_by("-started_at").values_list("finished_at", flat=True)
    return newest.first()


def _jobs() -> Iterator[Metric]:
    ends: dict[tuple[int, bool], Any] = {}
    running = set()
    of_jobs = JobExecution.objects.filter(job__isnull=False)
    executions = of_jobs.order_by().values_list("job_id", "status")
    for job_id, status, last in executions.annotate(last=Max("finished_at")):
        if status in JobExecution.UNFINISHED:
            running.add(job_id)
        elif last is not None:
            key = (job_id, status in _FAILED)
            ends[key] = max(last, ends.get(key, last))
    jobs = list(Job.objects.values_list("pk", "name", "enabled"))
    yield gauges(
        "job_enabled",
        "Whether the job is enabled.",
        _LABEL,
        [(name, enabled) for _pk, name, enabled in jobs],
    )
    yield gauges(
        "job_running",
        "Whether the job runs or waits for its turn.",
        _LABEL,
        [(name, pk in running) for pk, name, _enabled in jobs],
    )
    for what, has_failed in (("success", False), ("failure", True)):
        yield gauges(
            f"job_last_{what}_timestamp_seconds",
            f"When the job last ended with a {what}, 0 if never.",
            _LABEL,
            [(name, _seconds(ends.get((pk, has_failed)))) for pk, name, _on in jobs],
        )


def _licence_use() -> Iterator[Metric]:
    limits = current_limits()
    used = {
        "users": User.objects.filter(is_service=False).count(),
        "documents_per_month": created_this_month(Document.kinds()),
    }
    allowed = {
        "users": limits.users,
        "documents_per_month": limits.documents_per_month,
    }
    yield gauges("licence_used", "Use of a limit.", "limit", used.items())
    yield gauges(
        "licence_allowed",
        "Limit of the licence; none for what is unlimited.",
        "limit",
        [(name, most) for name, most in allowed.items() if most is not None],
    )


def _seconds(at: datetime | None) -> float:
    return 0.0 if at is None else at.timestamp()
