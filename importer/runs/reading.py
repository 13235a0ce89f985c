"""Reading of stored runs and their reports."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

import msgspec
from django.db.models import QuerySet

from importer.models import AppliedPackage, ImportRun, ReportChunk
from importer.package.item_result import ItemResult
from importer.package.shapes import Diagnostic, Outcome, Severity
from importer.package.undo_results import UndoOutcome
from importer.pipeline.causes import Cause, Causes
from importer.pipeline.report import (
    Chunk,
    Report,
    Results,
    Steps,
    added_up,
    no_counts,
)
from importer.runs import dry_runs, unstored
from importer.runs.report_filter import ReportFilter, filtered
from importer.sources import EmbeddedPackage, embedded_packages

RECENT = 50


class RunFilter(msgspec.Struct, frozen=True):
    """A filter of runs: real or dry ones, by package, status and user name."""

    package: str | None = None
    status: str = ""
    user: str = ""
    dry_run: bool = False


class ListedPackage(msgspec.Struct, frozen=True):
    """An embedded package, and the version last applied with its time, if any."""

    embedded: EmbeddedPackage
    applied_version: int | None = None
    applied_at: datetime | None = None


def find_run(run_id: UUID) -> ImportRun | None:
    """Return a run of the history or a dry run still kept, None if neither."""
    run = ImportRun.objects.exclude(dry_runs.expired()).filter(pk=run_id).first()
    return None if run is None else up_to_date(run)


def up_to_date(run: ImportRun) -> ImportRun:
    """Return a run with its end, even if the database has not stored that yet."""
    if run.status != ImportRun.Status.RUNNING:
        return run
    return unstored.find(run.run_id) or run


def running_run() -> ImportRun | None:
    """Return the run in progress in any process, real or dry, None if there is none."""
    ended = [run.pk for run in unstored.unstored_runs()]
    running = ImportRun.objects.filter(status=ImportRun.Status.RUNNING)
    return running.exclude(pk__in=ended).first()


def recent_runs(which: RunFilter, page: int, limit: int) -> QuerySet[ImportRun]:
    """Return a page of the runs that a filter leaves, newest first (OPEN-49).

    The first page is 1.
    """
    wanted: dict[str, Any] = {"dry_run": which.dry_run}
    wanted |= {} if which.package is None else {"package": which.package}
    wanted |= {"status": which.status} if which.status else {}
    wanted |= {"started_by_name": which.user} if which.user else {}
    runs = ImportRun.objects.listed().filter(**wanted)
    return runs.order_by("-started_at", "run_id")[(page - 1) * limit : page * limit]


def packages() -> list[ListedPackage]:
    """Return the embedded packages with their applied versions, with one query."""
    applied = {one.package: one for one in AppliedPackage.objects.all()}
    listed = []
    for embedded in embedded_packages():
        # An unreadable file is listed under its file name.
        found = None if embedded.error else applied.get(embedded.package)
        listed.append(
            ListedPackage(embedded)
            if found is None
            else ListedPackage(embedded, found.version, found.applied_at)
        )
    return listed


def counts_of(run: ImportRun) -> dict[str, int]:
    """Return a run's count of every outcome, zeros included (OPEN-38)."""
    counts: dict[str, int] = no_counts(outcomes_of(run)) | run.counts
    return counts


def steps_of(run: ImportRun) -> Steps:
    """Return the counts of a run's steps in the order of its report, with one query.

    Reports of earlier versions have none.
    """
    if run.held is not None:
        return added_up(chunk.steps for chunk in run.held)
    return added_up(run.chunks.values_list("steps", flat=True))


def outcomes_of(run: ImportRun) -> type[Outcome] | type[UndoOutcome]:
    """Return the outcomes that the entries of a run may have."""
    return UndoOutcome if run.kind == ImportRun.Kind.UNDO else Outcome


def entries_of(run: ImportRun, wanted: ReportFilter) -> Iterator[ItemResult]:
    """Yield entries of a run's report, reading only the necessary chunks."""
    if run.held is not None:
        return filtered(run.held, lambda heads: (head.data for head in heads), wanted)
    heads = run.chunks.defer("data")
    return filtered(heads, lambda some: _stored(run, some), wanted)


def _stored(run: ImportRun, heads: Sequence[Any]) -> Iterable[bytes]:
    firsts = [head.first for head in heads]
    found = run.chunks.filter(first__in=firsts).values_list("data", flat=True)
    return map(bytes, found)


def problems_of(run: ImportRun) -> tuple[Cause, ...]:
    """Return the causes of a run's failures, those with the most dependants first.

    A run that was ended by another process, or one of an earlier version, only has
    error diagnostics; each of them is then a cause.
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
        chunks = tuple(
            Chunk(c.first, c.size, c.counts, bytes(c.data), c.steps) for c in stored
        )
    return Report(
        run_id=run.run_id,
        status=run.status,
        dry_run=run.dry_run,
        counts=counts_of(run),
        items=Results(chunks),
        problems=problems_of(run),
        diagnostics=tuple(msgspec.convert(run.diagnostics, list[Diagnostic])),
        has_errors=run.has_errors,
        conflicts=run.conflicts,
    )
