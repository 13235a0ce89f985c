"""Read what has become of runs, stored ones and the dry ones still remembered."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

import msgspec
from django.db.models import QuerySet
from django.utils import timezone

from importer.models import AppliedPackage, ImportRun, ReportChunk
from importer.package.shapes import Diagnostic, ItemResult, Severity
from importer.pipeline.causes import Cause, Causes
from importer.pipeline.report import Chunk, Report, Results, no_counts
from importer.runs import dry_runs, running, unstored
from importer.runs.narrowing import Narrowing, narrowed
from importer.runs.record import put_progress
from importer.sources import EmbeddedPackage, embedded_packages

RECENT = 50


class ListedPackage(msgspec.Struct, frozen=True):
    """Hold an embedded package and which version of it was applied when, if any."""

    embedded: EmbeddedPackage
    applied_version: int | None = None
    applied_at: datetime | None = None


def find_run(run_id: UUID) -> ImportRun | None:
    """Return a run of the history or a dry run still remembered, None if neither.

    What a dry run is returned as is no row of the table, and cannot be saved.
    """
    dry = dry_runs.find(run_id)
    run = dry or ImportRun.objects.filter(pk=run_id).first()
    return None if run is None else up_to_date(run)


def up_to_date(run: ImportRun) -> ImportRun:
    """Return a run as this process knows it, which may be more than was stored."""
    if run.status != ImportRun.Status.RUNNING:
        return run
    ended = unstored.find(run.run_id)
    if ended is not None:
        return ended
    going = running.find(run.run_id)
    if going is not None:
        put_progress(run, going)
    return run


def rate_of(run: ImportRun) -> float | None:
    """Return how many objects a second a run does, None before it can be told.

    Lately where it goes on in this process, else since it was started.
    """
    going = running.find(run.run_id)
    if going is not None:
        return going.rate()
    seconds = (timezone.now() - run.started_at).total_seconds()
    return run.done / seconds if seconds > 1 and run.done and run.total else None


def running_run() -> ImportRun | None:
    """Return the run that goes on, real or dry, None if none does."""
    stored = ImportRun.objects.filter(status=ImportRun.Status.RUNNING)
    ended = [run.pk for run in unstored.unstored_runs()]
    run = dry_runs.going_on() or stored.exclude(pk__in=ended).first()
    return None if run is None else up_to_date(run)


def recent_runs(package: str | None, limit: int) -> QuerySet[ImportRun]:
    """Return the newest runs of the history, of one package or of all (OPEN-49)."""
    # A thousand problems and diagnostics a run are no part of a list.
    runs = ImportRun.objects.defer("problems", "diagnostics")
    if package is not None:
        runs = runs.filter(package=package)
    return runs[:limit]


def packages() -> list[ListedPackage]:
    """Return the embedded packages with their applied versions: one query."""
    applied = {one.package: one for one in AppliedPackage.objects.all()}
    listed = []
    for embedded in embedded_packages():
        # A file that cannot be read is listed under its own name, not a package's.
        found = None if embedded.error else applied.get(embedded.package)
        listed.append(
            ListedPackage(embedded)
            if found is None
            else ListedPackage(embedded, found.version, found.applied_at)
        )
    return listed


def counts_of(run: ImportRun) -> dict[str, int]:
    """Return a run's count of every outcome, zeros included (OPEN-38)."""
    counts: dict[str, int] = no_counts() | run.counts
    return counts


def entries_of(run: ImportRun, wanted: Narrowing) -> Iterator[ItemResult]:
    """Yield entries of a run's report, reading no more of it than need be."""
    if run.held is not None:
        return narrowed(run.held, lambda heads: (head.data for head in heads), wanted)
    heads = run.chunks.defer("data")
    return narrowed(heads, lambda some: _stored(run, some), wanted)


def _stored(run: ImportRun, heads: Sequence[Any]) -> Iterable[bytes]:
    firsts = [head.first for head in heads]
    found = run.chunks.filter(first__in=firsts).values_list("data", flat=True)
    return map(bytes, found)


def problems_of(run: ImportRun) -> tuple[Cause, ...]:
    """Return the causes of a run's failures, those most others wait for first.

    A run that somebody else had to close, or one of an earlier version, has only error
    diagnostics: each is a cause then.
    """
    if run.problems:
        return tuple(msgspec.convert(run.problems, list[Cause]))
    causes = Causes()
    for one in msgspec.convert(run.diagnostics, list[Diagnostic]):
        if one.severity is Severity.ERROR:
            causes.whole(one)
    return causes.listed()


def whole_report(run: ImportRun) -> Report:
    """Return the report of a run that has ended."""
    if run.held is not None:
        chunks = run.held
    else:
        stored: Iterable[ReportChunk] = run.chunks.all()
        chunks = tuple(Chunk(c.first, c.size, c.counts, bytes(c.data)) for c in stored)
    return Report(
        run_id=run.run_id,
        status=run.status,
        dry_run=run.dry_run,
        counts=counts_of(run),
        items=Results(chunks),
        problems=problems_of(run),
        diagnostics=tuple(msgspec.convert(run.diagnostics, list[Diagnostic])),
        has_errors=run.has_errors,
    )
