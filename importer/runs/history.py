"""Keep the history of real runs: record, progress, report, applied versions."""

from __future__ import annotations

import time
from collections.abc import Iterable
from typing import Any
from uuid import UUID

import msgspec
from django.db import IntegrityError, transaction
from django.utils import timezone

from importer import conf
from importer.models import AppliedPackage, ImportRun, ReportChunk, ReportFailure
from importer.package.shapes import Diagnostic, Header, Outcome
from importer.pipeline.report import Chunk, Report, Results

_BETWEEN_WRITES = 1.0
_END = (
    "status",
    "finished_at",
    "done",
    "total",
    "counts",
    "diagnostics",
    "has_errors",
)
_INTERRUPTED = "The process ended before the run did; run the package again."


class RunExists(Exception):
    """Say that a run identifier is in the history already (OPEN-43)."""


def refuse_known(run_id: UUID) -> None:
    """Raise RunExists for the identifier of a run that is in the history."""
    if ImportRun.objects.filter(pk=run_id).exists():
        raise RunExists(f"There is a run {run_id} already.")


class Record:
    """Write one run's record while it goes on.

    Progress is written when a chunk is, or once a second, always outside the
    transaction of an object.
    """

    def __init__(
        self, run_id: UUID, user: Any, zone: str, *, continue_on_error: bool
    ) -> None:
        self._run = ImportRun(
            run_id=run_id,
            continue_on_error=continue_on_error,
            time_zone=zone,
            started_by=user if user.pk else None,
            started_by_name=user.get_username(),
            started_at=timezone.now(),
        )
        try:
            self._begin()
        except IntegrityError:
            refuse_known(run_id)
            # Then it is the user who is gone; the name stays.
            self._run.started_by = None
            self._begin()
        self._written = time.monotonic()

    def _begin(self) -> None:
        with transaction.atomic():
            self._run.save(force_insert=True)

    def name(self, header: Header) -> None:
        """Note which package it is, once the header was read."""
        self._run.package = header.package
        self._run.version = header.version
        self._run.origin = header.origin.stored
        self._run.save(update_fields=["package", "version", "origin"])

    def keep(self, chunk: Chunk) -> None:
        """Store a chunk of the report, and its failures once more on their own."""
        with transaction.atomic():
            ReportChunk.objects.create(
                run=self._run,
                first=chunk.first,
                size=chunk.size,
                counts=chunk.counts,
                data=chunk.data,
            )
            if chunk.counts.get(Outcome.FAILED):
                ReportFailure.objects.bulk_create(
                    ReportFailure(
                        run=self._run,
                        place=chunk.first + place,
                        result=result.wire(),
                    )
                    for place, result in enumerate(chunk.results())
                    if result.outcome == Outcome.FAILED
                )

    def progress(self, done: int, total: int | None) -> None:
        """Store how far the run is, once a second."""
        if time.monotonic() - self._written >= _BETWEEN_WRITES:
            self._run.done, self._run.total = done, total
            self._run.save(update_fields=["done", "total"])
            self._written = time.monotonic()

    def finish(self, report: Report, total: int | None) -> None:
        """Store the end of the run, and the version it applied without errors."""
        run = self._run
        run.status = report.status
        run.finished_at = timezone.now()
        run.done, run.total = len(report.items), total
        run.counts = report.counts
        run.diagnostics = msgspec.to_builtins(list(report.diagnostics))
        run.has_errors = report.has_errors
        with transaction.atomic():
            # Not the user, who may have been deleted since the run began.
            run.save(update_fields=_END)
            clean = report.status == ImportRun.Status.COMPLETED
            if clean and not report.has_errors:
                AppliedPackage.objects.update_or_create(
                    package=run.package,
                    defaults={
                        "version": run.version or 0,
                        "applied_at": run.finished_at,
                    },
                )
        _prune(run.package)


def _prune(package: str) -> None:
    """Drop the oldest runs of a package beyond the number to keep (OPEN-49)."""
    keep = int(conf.setting("RUNS_TO_KEEP"))
    if keep > 0:
        ended = ImportRun.objects.filter(package=package).order_by("-started_at")
        old = list(ended.values_list("pk", flat=True)[keep:])
        ImportRun.objects.filter(pk__in=old).delete()


def mark_interrupted() -> int:
    """Mark runs a dead process left behind; the caller holds the import lock."""
    note = [{"severity": "Error", "path": "$", "message": f"$: {_INTERRUPTED}"}]
    return ImportRun.objects.filter(status=ImportRun.Status.RUNNING).update(
        status=ImportRun.Status.INTERRUPTED,
        finished_at=timezone.now(),
        has_errors=True,
        diagnostics=note,
    )


def stored_report(run: ImportRun) -> Report:
    """Return the report of a run out of the history."""
    chunks: Iterable[ReportChunk] = run.chunks.all()
    return Report(
        run_id=run.run_id,
        status=run.status,
        dry_run=False,
        counts=run.counts,
        items=Results(
            tuple(Chunk(c.first, c.size, c.counts, bytes(c.data)) for c in chunks)
        ),
        diagnostics=tuple(msgspec.convert(run.diagnostics, list[Diagnostic])),
        has_errors=run.has_errors,
    )
