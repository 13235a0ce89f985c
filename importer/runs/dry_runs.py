"""The retention of dry runs.

They are stored like real runs, so that every process can read them, but they are not
part of the history (OPEN-45).
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta
from typing import Any
from uuid import UUID

import msgspec
from django.db.models import OuterRef, Q, Subquery, Sum
from django.db.models.functions import Coalesce, Length
from django.utils import timezone

from importer.models import ImportRun, PackagePiece, ReportChunk
from importer.package import paths
from importer.package.shapes import Diagnostic, Severity
from importer.package.translation import ngettext
from importer.pipeline.report import Chunk, Report, Results

KEPT_FOR = timedelta(hours=24)
MOST_RUNS = 20
MOST_ENTRIES = 500_000
MOST_BYTES = 200_000_000


def expired() -> Q:
    """Return the condition of expired dry runs, which nobody may read."""
    return Q(dry_run=True, finished_at__lt=timezone.now() - KEPT_FOR)


def clean_dry_run(user: Any, digest: str) -> ImportRun | None:
    """Return a user's last dry run of a source if it had no errors (OPEN-57).

    ``digest`` is the SHA-256 of the source's bytes in hexadecimal.
    """
    return clean_dry_runs(user, [digest]).get(digest)


def clean_dry_runs(user: Any, digests: Iterable[str]) -> dict[str, ImportRun]:
    """Return a user's last dry run of each source, of those that had no errors.

    ``digests`` are those of ``clean_dry_run``; all are looked up at once.
    """
    wanted = set(filter(None, digests))
    own = ImportRun.objects.dry().filter(started_by=user.pk, digest__in=wanted)
    last: dict[str, ImportRun] = {}
    for run in own.exclude(expired()) if wanted else ():
        last.setdefault(run.digest, run)
    return {
        digest: run
        for digest, run in last.items()
        if not run.has_errors and run.status == ImportRun.Status.COMPLETED
    }


def remove_expired(run_id: UUID) -> bool:
    """Remove a run if it is an expired dry run, so that its identifier is free again."""
    removed, _by_model = ImportRun.objects.filter(expired(), pk=run_id).delete()
    return bool(removed)


def remove_old_dry_runs() -> None:
    """Delete expired dry runs, and the oldest of those beyond the limits.

    The newest is kept, however large it is.
    """
    over, kept, entries, size = [], 0, 0, 0
    oldest = timezone.now() - KEPT_FOR
    for run_id, finished_at, own_entries, own_bytes in _sizes():
        kept, entries, size = kept + 1, entries + own_entries, size + own_bytes
        fits = kept <= MOST_RUNS and entries <= MOST_ENTRIES and size <= MOST_BYTES
        if finished_at < oldest or (kept > 1 and not fits):
            over.append(run_id)
    if over:
        ImportRun.objects.filter(pk__in=over).delete()


def _sizes() -> Iterable[tuple[UUID, Any, int, int]]:
    """Return key, end, entries and bytes of the dry runs that have ended, newest first.

    The bytes are added up run by run: to group the chunks, SQLite would read all of them.
    """
    ended = ImportRun.objects.dry().exclude(finished_at=None)
    # A plan that waits or is carried out needs the entries of its dry run.
    going_on = (ImportRun.Status.QUEUED, ImportRun.Status.RUNNING)
    ended = ended.exclude(based_runs__status__in=going_on)
    size = _bytes_of(ReportChunk) + _bytes_of(PackagePiece)
    return ended.annotate(bytes=size).values_list("pk", "finished_at", "done", "bytes")


def _bytes_of(model: type[ReportChunk | PackagePiece]) -> Coalesce:
    """Return the expression for the bytes that a model has of a run."""
    parts = model._default_manager.filter(run=OuterRef("pk")).order_by().values("run")
    total = parts.annotate(bytes=Sum(Length("data"))).values("bytes")
    return Coalesce(Subquery(total), 0)


def fits(chunk: Chunk) -> bool:
    """Return whether a chunk is within the limit of stored reports."""
    return chunk.first + chunk.size <= MOST_ENTRIES


def cut(report: Report) -> Report:
    """Return a report without the entries beyond the limit, with a note."""
    chunks = tuple(chunk for chunk in report.items.chunks if fits(chunk))
    if len(chunks) == len(report.items.chunks):
        return report
    listed = Results(chunks)
    message = ngettext(
        "Only the first %(count)s object of this dry run is listed.",
        "Only the first %(count)s objects of this dry run are listed.",
        len(listed),
    )
    note = Diagnostic(Severity.INFO, paths.WHOLE, message)
    return msgspec.structs.replace(
        report, items=listed, diagnostics=(*report.diagnostics, note)
    )
