"""The row of a run at its start, during the run and at its end: contents and storage."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec
from django.utils import timezone

from importer.models import ImportRun, ReportChunk
from importer.models.import_run import RunQuerySet
from importer.package.shapes import Header
from importer.pipeline.report import Chunk, Report
from importer.runs.options import RunOrder
from importer.runs.running import Running

_NAME = ("package", "version", "origin")
_PROGRESS = (*_NAME, "done", "total", "counts", "conflicts", "has_errors", "rate")
_END = ("status", "finished_at", "problems", "diagnostics", *_PROGRESS)


def new_run(order: RunOrder) -> ImportRun:
    """Return the unsaved run of an order."""
    user = order.user
    started_via, _colon, starter = order.started_via.partition(":")
    return ImportRun(
        run_id=order.run_id,
        dry_run=order.options.dry_run,
        digest=order.digest,
        continue_on_error=order.options.continue_on_error,
        time_zone=order.zone.key,
        started_by=user if user.pk else None,
        started_by_name=user.get_username(),
        started_via=started_via,
        starter=starter,
        started_at=timezone.now(),
        kind=order.kind,
        based_on=order.based_on,
        table=_description_of(order),
    )


def _description_of(order: RunOrder) -> str:
    if order.table is None:
        return ""
    return msgspec.json.encode(order.table.description).decode()


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
    run.conflicts = gathered.conflicts
    run.has_errors = gathered.has_errors
    run.rate = going.rate()


def put_end(run: ImportRun, report: Report, total: int) -> None:
    """Set the end of a run."""
    run.finished_at = timezone.now()
    run.done, run.total = sum(report.counts.values()), total
    run.counts, run.conflicts = report.counts, report.conflicts
    run.problems = msgspec.to_builtins(list(report.problems))
    run.diagnostics = msgspec.to_builtins(list(report.diagnostics))
    run.has_errors = report.has_errors
    run.status, run.held = report.status, report.items.chunks


def store_chunk(run: ImportRun, chunk: Chunk) -> None:
    """Store a chunk of a run's report."""
    ReportChunk.objects.create(
        run=run,
        first=chunk.first,
        size=chunk.size,
        counts=chunk.counts,
        steps=chunk.steps,
        data=chunk.data,
    )


def store_progress(run: ImportRun, stored: RunQuerySet) -> bool:
    """Store the progress of a run; return False if it isn't among the ``stored`` runs."""
    return bool(stored.update(**_values(run, _PROGRESS)))


def store_end(run: ImportRun, stored: RunQuerySet) -> bool:
    """Store the end of a run, with the missing part of its report.

    Return False if it isn't among the ``stored`` runs. The row comes first: others who
    want to end the run wait for it and then find it ended.
    """
    # Not the user, who may have been deleted during the run.
    if not stored.update(**_values(run, _END)):
        return False
    there = set(run.chunks.values_list("first", flat=True))
    for chunk in run.held or ():
        if chunk.first not in there:
            store_chunk(run, chunk)
    return True


def _values(run: ImportRun, names: Iterable[str]) -> dict[str, Any]:
    return {name: getattr(run, name) for name in names}
