"""Keep the history of real runs: record, progress, report, applied versions."""

from __future__ import annotations

import time
from uuid import UUID

from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from importer import conf
from importer.models import AppliedPackage, ImportRun, ReportChunk
from importer.package.shapes import Header
from importer.pipeline.report import Chunk, Gathering, Report, no_counts
from importer.runs.options import RunOrder
from importer.runs.record import new_run, put_end, put_name, put_progress

_BETWEEN_WRITES = 1.0
_PROGRESS = ("done", "total", "counts", "has_errors")
_END = ("status", "finished_at", "problems", "diagnostics", *_PROGRESS)
_INTERRUPTED = "The process ended before the run did; run the package again."
_ABANDONED = "The run ended unexpectedly; the log of the server says where."


class RunExists(Exception):
    """Say that a run identifier is in the history already (OPEN-43)."""


def refuse_known(run_id: UUID) -> None:
    """Raise RunExists for the identifier of a run that is in the history."""
    if ImportRun.objects.filter(pk=run_id).exists():
        raise RunExists(_("There is a run %(run)s already.") % {"run": run_id})


class StoredRecord:
    """Write one run's record while it goes on.

    Progress is written when a chunk is, or once a second, always outside the
    transaction of an object.
    """

    def __init__(self, order: RunOrder) -> None:
        self._run = new_run(order)
        try:
            self._begin()
        except IntegrityError:
            refuse_known(order.run_id)
            # Then it is the user who is gone; the name stays.
            self._run.started_by = None
            self._begin()
        self._written = time.monotonic()

    def _begin(self) -> None:
        with transaction.atomic():
            self._run.save(force_insert=True)

    def name(self, header: Header) -> None:
        """Note which package it is, once the header was read."""
        put_name(self._run, header)
        self._run.save(update_fields=["package", "version", "origin"])

    def keep(self, chunk: Chunk) -> None:
        """Store a chunk of the report."""
        ReportChunk.objects.create(
            run=self._run,
            first=chunk.first,
            size=chunk.size,
            counts=chunk.counts,
            data=chunk.data,
        )

    def progress(self, gathered: Gathering, total: int | None) -> None:
        """Store how far the run is, once a second."""
        if time.monotonic() - self._written >= _BETWEEN_WRITES:
            put_progress(self._run, gathered, total)
            self._run.save(update_fields=_PROGRESS)
            self._written = time.monotonic()

    def finish(self, report: Report, total: int) -> None:
        """Store the end of the run, and the version it applied without errors."""
        run = self._run
        put_end(run, report, total)
        with transaction.atomic():
            # Not the user, who may have been deleted since the run began.
            run.save(update_fields=_END)
            clean = report.status == ImportRun.Status.COMPLETED
            if clean and not report.has_errors:
                AppliedPackage.objects.update_or_create(
                    package=run.package,
                    defaults={
                        "version": run.version or 0,
                        "applied_at": run.finished_at or run.started_at,
                    },
                )
        _prune(run.package)

    def abandon(self) -> None:
        """Store that the run ended without an end that could be told."""
        run = ImportRun.objects.filter(
            pk=self._run.pk, status=ImportRun.Status.RUNNING
        ).first()
        if run is not None:
            _close(run, ImportRun.Status.FAILED, _ABANDONED)


def _prune(package: str) -> None:
    """Drop the oldest runs of a package beyond the number to keep (OPEN-49)."""
    keep = int(conf.setting("RUNS_TO_KEEP"))
    if keep > 0:
        ended = ImportRun.objects.filter(package=package).order_by("-started_at")
        old = list(ended.values_list("pk", flat=True)[keep:])
        ImportRun.objects.filter(pk__in=old).delete()


def mark_interrupted() -> int:
    """Mark runs a dead process left behind; the caller holds the import lock."""
    left = list(ImportRun.objects.filter(status=ImportRun.Status.RUNNING))
    for run in left:
        _close(run, ImportRun.Status.INTERRUPTED, _INTERRUPTED)
    return len(left)


def _close(run: ImportRun, status: str, why: str) -> None:
    """End a run in the words of somebody else, with the counts its entries have."""
    counts = no_counts()
    for chunk in run.chunks.values_list("counts", flat=True):
        for outcome, number in chunk.items():
            counts[outcome] += number
    run.status, run.finished_at, run.has_errors = status, timezone.now(), True
    run.counts, run.done = counts, sum(counts.values())
    run.diagnostics = [{"severity": "Error", "path": "$", "message": f"$: {why}"}]
    run.save(update_fields=_END)
