"""Keep the reports of dry runs in memory for a while; they write nothing (OPEN-45)."""

from __future__ import annotations

import copy
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
from importer.pipeline.report import Chunk, Report, Results
from importer.runs.options import RunOrder
from importer.runs.record import new_run, put_end, put_name
from importer.runs.running import Running

KEPT_FOR = timedelta(hours=24)
MOST_RUNS = 20
MOST_ENTRIES = 500_000
MOST_BYTES = 200_000_000
Status = ImportRun.Status
# What a diagnostic weighs beside its text, measured roughly.
_PER_DIAGNOSTIC = 300


@dataclass(slots=True)
class Kept:
    """A dry run with its report; its record is never stored.

    ``entries`` and ``size``, in bytes, say about how much room the report takes.
    """

    run: ImportRun
    entries: int = 0
    size: int = 0

    def seen(self) -> ImportRun:
        """Return the run as it is now: it does not change under whoever reads it."""
        return copy.copy(self.run)


_kept: dict[UUID, Kept] = {}
_lock = threading.Lock()


class DryRecord:
    """Remember one dry run while it goes on and for a day afterwards."""

    def __init__(self, order: RunOrder) -> None:
        self._run = new_run(order)
        self._run.held = ()
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

    def progress(self, going: Running) -> None:
        """Do nothing: whoever asks looks at the run itself."""

    def finish(self, report: Report, total: int) -> None:
        """Keep the report, and drop older ones that no longer have room."""
        report = _cut(report)
        chunks = report.items.chunks
        run = self._kept.seen()
        put_end(run, report, total)
        told = sum(len(one.message) + _PER_DIAGNOSTIC for one in report.diagnostics)
        with _lock:
            # At once, for others may be looking.
            self._kept.run = run
            self._kept.entries = sum(chunk.size for chunk in chunks)
            self._kept.size = told + sum(len(chunk.data) for chunk in chunks)
            _drop_old()


def find(run_id: UUID) -> ImportRun | None:
    """Return a dry run of this process with its report, None once it is forgotten."""
    with _lock:
        _drop_old()
        kept = _kept.get(run_id)
        return None if kept is None else kept.seen()


def latest(user: Any, digest: str) -> ImportRun | None:
    """Return the last dry run of the same bytes by the same user, None without one."""
    with _lock:
        _drop_old()
        runs = [kept.seen() for kept in _kept.values() if kept.run.digest == digest]
    own = [run for run in runs if run.started_by_id == user.pk]
    return own[-1] if digest and own else None


def going_on() -> ImportRun | None:
    """Return the dry run that goes on in this process, None if none does."""
    with _lock:
        kept = list(_kept.values())
    going = (one.seen() for one in kept if one.run.status == Status.RUNNING)
    return next(going, None)


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
