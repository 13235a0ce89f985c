"""The stored data of runs: record, progress, report, applied versions."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from datetime import datetime
from typing import Any
from uuid import UUID

import msgspec
from django.db import DatabaseError, IntegrityError, transaction
from django.utils import timezone, translation
from django.utils.translation import gettext as _

from importer import conf, registry
from importer.models import ImportRun, PackagePiece, QueuedRun
from importer.package import paths
from importer.package.shapes import Header, error
from importer.pipeline.report import Chunk, Counts, Report, no_counts
from importer.runs import (
    applied_versions,
    dry_runs,
    kept_packages,
    record,
    unstored,
)
from importer.runs.options import RunOrder
from importer.runs.reading import outcomes_of
from importer.runs.rewriting import lost_entries
from importer.runs.running import Running

logger = logging.getLogger("platform.importer")
_BETWEEN_WRITES = 1.0
Status = ImportRun.Status


class RunExists(Exception):
    """A run with this identifier exists already (OPEN-43)."""


class NotQueued(Exception):
    """A queued run was cancelled, or another process has taken it."""


def _refuse_known(run_id: UUID) -> None:
    if ImportRun.objects.filter(pk=run_id).exists():
        raise RunExists(_("The run %(run)s already exists.") % {"run": run_id})


def insert(run: ImportRun, store: Callable[[], None]) -> None:
    """Insert a new run with ``store``; raise RunExists if its identifier is taken."""
    try:
        store()
    except IntegrityError:
        if not dry_runs.remove_expired(run.pk):
            _refuse_known(run.pk)
            # Then the user has been deleted; the name stays.
            run.started_by = None
        store()


def leave_queue(run_id: UUID, **values: Any) -> bool:
    """Update a queued run, which then no longer waits; return False for other runs.

    Its stored package is no longer needed, because whoever carries it out has a copy,
    unless it shall be repeated if its process dies.
    """
    is_kept = conf.setting("RESUME_INTERRUPTED") and not Status(values["status"]).is_end
    with transaction.atomic():
        queued = ImportRun.objects.filter(pk=run_id, status=Status.QUEUED)
        if not queued.update(**values):
            return False
        QueuedRun.objects.filter(run=run_id).delete()
        if not is_kept:
            PackagePiece.objects.filter(run=run_id).delete()
    return True


class RunRecord:
    """The record of one run, written during the run.

    Progress and the entries so far are written together, once a second and outside the
    transactions of objects. If the process is killed, only the last second is missing,
    and the marks show it. A dry run has the same record but writes no other rows.
    """

    def __init__(self, order: RunOrder) -> None:
        run = self._run = record.new_run(order)
        if not order.is_queued:
            insert(run, self._begin)
        elif not leave_queue(run.pk, status=run.status, started_at=run.started_at):
            raise NotQueued
        self._written = time.monotonic()

    def _begin(self) -> None:
        with transaction.atomic():
            self._run.save(force_insert=True)

    @property
    def started_at(self) -> datetime:
        """The start of the run, which is the present in its package."""
        return self._run.started_at

    @property
    def package(self) -> str:
        """The name of the package, empty as long as it isn't known."""
        return self._run.package

    def name(self, header: Header) -> None:
        """Note the package of the run after its header was read.

        It is stored with the total or, if the package is refused, with the end.
        """
        record.put_name(self._run, header)

    def keep(self, chunk: Chunk) -> None:
        """Store a chunk of the report."""
        if not self._run.dry_run or dry_runs.fits(chunk):
            record.store_chunk(self._run, chunk)

    def keep_package(self, order: RunOrder) -> None:
        """Keep the package of the run, and its table.

        Without it nobody can act on the run, but the run itself is not affected.
        """
        try:
            self.forget_package()
            kept_packages.keep(order, self._run)
        except (DatabaseError, OSError) as failure:
            logger.warning("A package wasn't kept: %s", failure, extra=order.log_fields)

    def forget_package(self) -> None:
        """Delete the package that was kept in case the process dies, if any was."""
        if conf.setting("RESUME_INTERRUPTED"):
            self._run.pieces.all().delete()

    def progress(self, going: Running) -> None:
        """Store the progress of the run, once a second and when its total is known.

        The same statement reads whether somebody has cancelled the run.
        """
        due = time.monotonic() - self._written >= _BETWEEN_WRITES
        if not due and going.total == self._run.total:
            return
        with transaction.atomic():
            going.builder.flush()
            record.put_progress(self._run, going)
            stored = ImportRun.objects.filter(pk=self._run.pk)
            if not record.store_progress(
                self._run, stored.filter(stop_requested_at=None)
            ):
                going.stop.set()
                record.store_progress(self._run, stored)
        self._written = time.monotonic()

    def check_for_stop(self, going: Running) -> None:
        """Read once a second whether somebody has cancelled the run; store nothing."""
        if time.monotonic() - self._written < _BETWEEN_WRITES:
            return
        stored = ImportRun.objects.filter(pk=self._run.pk, stop_requested_at=None)
        if not stored.exists():
            going.stop.set()
        self._written = time.monotonic()

    def finish(self, report: Report, total: int) -> None:
        """Store the end of the run, and the version if it was applied without errors.

        If the database doesn't accept it now, it is stored as soon as possible.
        """
        run = self._run
        record.put_end(run, dry_runs.cut(report) if run.dry_run else report, total)
        unstored.store(run, self._write_end)

    def _write_end(self) -> None:
        run, stored = self._run, ImportRun.objects.filter(pk=self._run.pk)
        with transaction.atomic():
            if not record.store_end(run, stored.filter(status=Status.RUNNING)):
                if conf.setting("RESUME_INTERRUPTED"):
                    # Another process has ended it, and may have had it repeated.
                    return
                # Another process ended it since, knowing less: what it wrote goes.
                run.chunks.all().delete()
                record.store_end(run, stored)
            is_clean = run.status == Status.COMPLETED and not run.has_errors
            if is_clean and not run.dry_run:
                applied_versions.note_end(run)
        if not run.dry_run:
            _prune(run.package)
        dry_runs.remove_old_dry_runs()


def _prune(package: str) -> None:
    """Delete the oldest runs of a package beyond the number to keep (OPEN-49)."""
    keep = int(conf.setting("RUNS_TO_KEEP"))
    if keep > 0:
        ended = ImportRun.objects.real().filter(package=package)
        ended = ended.exclude(status=Status.QUEUED)
        newest = ended.order_by("-started_at").values_list("pk", flat=True)
        if old := list(newest[keep:]):
            ImportRun.objects.filter(pk__in=old).delete()


def mark_interrupted() -> int:
    """Mark the runs of dead processes; the caller holds the import lock."""
    unstored.store_all()
    known = [run.pk for run in unstored.unstored_runs()]
    left = ImportRun.objects.filter(status=Status.RUNNING).exclude(pk__in=known)
    for run in left:
        _interrupt(run)
        logger.warning(
            "Run %s was interrupted: the process that carried it out has ended; %s",
            run.run_id,
            run.package or "no package",
            extra={"run_id": str(run.run_id), "user_name": run.started_by_name},
        )
    return len(left)


def _interrupt(run: ImportRun) -> None:
    """End the run of a dead process and report all rows it wrote.

    What it wrote in the last second is known only from the rows. Stored figures are
    kept, because users may have seen them.
    """
    stored = run.chunks.all()
    chunks = [Chunk(c.first, c.size, c.counts, bytes(c.data), c.steps) for c in stored]
    user = run.started_by
    language = registry.language_of(user) if user else ""
    with translation.override(language or translation.get_language()):
        if run.kind == ImportRun.Kind.UNDO:
            # A repeated undo reports all rows, also those that are reverted already.
            sentence = _("The process ended before the undo did; start it again.")
        else:
            sentence = _("The process ended before the run did; run the package again.")
            chunks += [] if run.dry_run else lost_entries(run, chunks)
        why = error(paths.WHOLE, sentence)
    counts = no_counts(outcomes_of(run))
    for chunk in chunks:
        for outcome, number in chunk.counts.items():
            counts[outcome] = counts.get(outcome, 0) + number
    run.counts = _at_least(counts, run.counts)
    run.status, run.finished_at = Status.INTERRUPTED, timezone.now()
    run.done, run.has_errors = sum(run.counts.values()), True
    run.held = tuple(chunks)
    run.diagnostics = [msgspec.to_builtins(why)]
    unstored.store(run, lambda: _end_as_interrupted(run))


def _end_as_interrupted(run: ImportRun) -> None:
    with transaction.atomic():
        running = ImportRun.objects.filter(pk=run.pk, status=Status.RUNNING)
        record.store_end(run, running)


def _at_least(counts: Counts, known: Counts) -> Counts:
    return {n: max(counts.get(n, 0), known.get(n, 0)) for n in counts | known}
