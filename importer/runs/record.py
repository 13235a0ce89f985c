"""What a run tells about itself while it goes on; two kinds of record hear it.

``history.StoredRecord`` writes it down, ``dry_runs.DryRecord`` keeps it in memory.
"""

from __future__ import annotations

from typing import Protocol

import msgspec
from django.utils import timezone

from importer.models import ImportRun
from importer.package.shapes import Header
from importer.pipeline.report import Chunk, Report
from importer.runs.options import RunOrder
from importer.runs.running import Running


class Record(Protocol):
    """Keep what becomes of one run."""

    def name(self, header: Header) -> None:
        """Note which package it is, once the header was read."""

    def keep(self, chunk: Chunk) -> None:
        """Keep a chunk of the report."""

    def progress(self, going: Running) -> None:
        """Note how far the run is."""

    def finish(self, report: Report, total: int) -> None:
        """Note the end of the run."""


def new_run(order: RunOrder) -> ImportRun:
    """Return the run an order begins, not stored."""
    user = order.user
    run = ImportRun(
        run_id=order.run_id,
        continue_on_error=order.options.continue_on_error,
        time_zone=order.zone.key,
        started_by=user if user.pk else None,
        started_by_name=user.get_username(),
        door=order.door,
        started_at=timezone.now(),
    )
    run.dry_run, run.digest = order.options.dry_run, order.digest
    return run


def put_name(run: ImportRun, header: Header) -> None:
    """Set which package a run is of."""
    run.package = header.package
    run.version = header.version
    run.origin = header.origin.stored


def put_progress(run: ImportRun, going: Running) -> None:
    """Set how far a run is."""
    gathered = going.gathering
    run.done, run.total = going.done, going.total
    run.counts = dict(gathered.counts)
    run.has_errors = gathered.has_errors


def put_end(run: ImportRun, report: Report, total: int) -> None:
    """Set how a run ended."""
    run.finished_at = timezone.now()
    run.done, run.total = sum(report.counts.values()), total
    run.counts = report.counts
    run.problems = msgspec.to_builtins(list(report.problems))
    run.diagnostics = msgspec.to_builtins(list(report.diagnostics))
    run.has_errors = report.has_errors
    run.status, run.held = report.status, report.items.chunks
