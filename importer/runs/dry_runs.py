"""Keep the reports of dry runs in memory for a while; they write nothing (OPEN-45)."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from uuid import UUID

import msgspec
from django.utils import timezone

from importer.models import ImportRun
from importer.package import paths
from importer.package.shapes import Diagnostic, Header, Severity
from importer.package.words import ngettext
from importer.pipeline.report import Chunk, Gathering, Report, Results
from importer.runs.options import RunOrder
from importer.runs.record import new_run, put_end, put_name, put_progress

KEPT_FOR = timedelta(hours=24)
MOST_RUNS = 20
MOST_ENTRIES = 500_000
MOST_BYTES = 200_000_000
Status = ImportRun.Status
# What a diagnostic weighs beside its text, measured roughly.
_PER_DIAGNOSTIC = 300
_ABANDONED = "$: The dry run ended unexpectedly; the log of the server says where."


@dataclass(slots=True)
class Kept:
    """Hold a dry run: its record, which is never stored, and its report.

    ``entries`` and ``size``, in bytes, say about how much room the report takes.
    """

    run: ImportRun
    chunks: tuple[Chunk, ...] = ()
    entries: int = 0
    size: int = 0


_kept: dict[UUID, Kept] = {}
_lock = threading.Lock()


class DryRecord:
    """Remember one dry run while it goes on and for a day afterwards."""

    def __init__(self, order: RunOrder) -> None:
        self._run = new_run(order)
        self._kept = Kept(self._run)
        with _lock:
            _kept.pop(order.run_id, None)
            _kept[order.run_id] = self._kept
            _drop_old()

    def name(self, header: Header) -> None:
        """Note which package it is, once the header was read."""
        put_name(self._run, header)

    def keep(self, chunk: Chunk) -> None:
        """Do nothing: the report comes whole at the end."""

    def progress(self, gathered: Gathering, total: int | None) -> None:
        """Note how far the run is."""
        put_progress(self._run, gathered, total)

    def finish(self, report: Report, total: int) -> None:
        """Keep the report, and drop older ones that no longer have room."""
        report = _cut(report)
        chunks = report.items.chunks
        told = sum(len(one.message) + _PER_DIAGNOSTIC for one in report.diagnostics)
        with _lock:
            self._kept.chunks = chunks
            self._kept.entries = sum(chunk.size for chunk in chunks)
            self._kept.size = told + sum(len(chunk.data) for chunk in chunks)
            put_end(self._run, report, total)
            _drop_old()

    def abandon(self) -> None:
        """Note that the run ended without an end that could be told."""
        run = self._run
        if run.status == Status.RUNNING:
            note = Diagnostic(Severity.ERROR, paths.WHOLE, _ABANDONED)
            run.diagnostics = [msgspec.to_builtins(note)]
            run.finished_at, run.has_errors = timezone.now(), True
            run.status = Status.FAILED


def find(run_id: UUID) -> Kept | None:
    """Return a dry run of this process, None once it is forgotten."""
    with _lock:
        _drop_old()
        return _kept.get(run_id)


def latest(user: Any, digest: str) -> ImportRun | None:
    """Return the last dry run of the same bytes by the same user, None without one."""
    with _lock:
        _drop_old()
        runs = [kept.run for kept in _kept.values() if kept.run.digest == digest]
    own = [run for run in runs if run.started_by_id == user.pk]
    return own[-1] if digest and own else None


def going_on() -> ImportRun | None:
    """Return the dry run that goes on in this process, None if none does."""
    with _lock:
        runs = [kept.run for kept in _kept.values()]
    return next((run for run in runs if run.status == Status.RUNNING), None)


def _cut(report: Report) -> Report:
    """Leave out the entries of a report that alone is too long, and say so."""
    chunks, room = [], MOST_ENTRIES
    for chunk in report.items.chunks:
        if chunk.size > room:
            break
        chunks.append(chunk)
        room -= chunk.size
    if len(chunks) == len(report.items.chunks):
        return report
    kept = MOST_ENTRIES - room
    message = ngettext(
        "Only the first %(count)s object of this dry run is listed.",
        "Only the first %(count)s objects of this dry run are listed.",
        kept,
    )
    note = Diagnostic(Severity.INFO, paths.WHOLE, message)
    return msgspec.structs.replace(
        report,
        items=Results(tuple(chunks)),
        diagnostics=(*report.diagnostics, note),
    )


def _drop_old() -> None:
    """Forget what is over its time, and the oldest until the rest has room."""
    since = timezone.now() - KEPT_FOR
    for run_id, kept in list(_kept.items()):
        if kept.run.finished_at is not None and kept.run.finished_at < since:
            del _kept[run_id]
    for run_id in list(_kept)[:-1]:
        left = list(_kept.values())
        if (
            len(left) <= MOST_RUNS
            and sum(one.entries for one in left) <= MOST_ENTRIES
            and sum(one.size for one in left) <= MOST_BYTES
        ):
            return
        del _kept[run_id]
