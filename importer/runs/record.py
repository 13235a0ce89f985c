"""The contents of a run's row at its start, during the run and at its end."""

from __future__ import annotations

import msgspec
from django.utils import timezone

from importer.models import ImportRun
from importer.package.shapes import Header
from importer.pipeline.report import Report
from importer.runs.options import RunOrder
from importer.runs.running import Running


def new_run(order: RunOrder) -> ImportRun:
    """Return the unsaved run of an order."""
    user = order.user
    return ImportRun(
        run_id=order.run_id,
        dry_run=order.options.dry_run,
        digest=order.digest,
        continue_on_error=order.options.continue_on_error,
        time_zone=order.zone.key,
        started_by=user if user.pk else None,
        started_by_name=user.get_username(),
        started_via=order.started_via,
        started_at=timezone.now(),
    )


def put_name(run: ImportRun, header: Header) -> None:
    """Set the package of a run."""
    run.package = header.package
    run.version = header.version
    run.origin = header.origin.stored


def put_progress(run: ImportRun, going: Running) -> None:
    """Set the progress of a run."""
    gathered = going.builder
    run.done, run.total = going.done, going.total
    run.counts = dict(gathered.counts)
    run.has_errors = gathered.has_errors
    run.rate = going.rate()


def put_end(run: ImportRun, report: Report, total: int) -> None:
    """Set the end of a run."""
    run.finished_at = timezone.now()
    run.done, run.total = sum(report.counts.values()), total
    run.counts = report.counts
    run.problems = msgspec.to_builtins(list(report.problems))
    run.diagnostics = msgspec.to_builtins(list(report.diagnostics))
    run.has_errors = report.has_errors
    run.status, run.held = report.status, report.items.chunks
