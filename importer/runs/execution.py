"""The execution of one run from its lock to its report, in the calling thread.

Foreground and background runs both use ``execute``.
"""

from __future__ import annotations

import logging
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import BinaryIO

from django.db import connection
from django.utils import timezone, translation
from django.utils.translation import gettext as _

from importer import registry
from importer.backpressure import yield_to_requests
from importer.locks import ProcessLock
from importer.models import ImportRun
from importer.package import paths
from importer.package.shapes import (
    KEPT,
    Diagnostic,
    Header,
    PackageError,
    Severity,
    error,
)
from importer.package.tokens import Moment
from importer.pipeline.report import Chunk, Report, ReportBuilder
from importer.pipeline.row_numbers import numbering_rows
from importer.pipeline.run import Pipeline
from importer.pipeline.run_settings import Cancelled, Progress, RunSettings
from importer.runs import history, running
from importer.runs.current_user import refreshed
from importer.runs.durability import relaxed
from importer.runs.failures import is_out_of_space, reason_of, unexpected
from importer.runs.lock import (
    DRY_RUN,
    IMPORT,
    ImportInProgress,
    LockLost,
    import_lock,
    keep,
)
from importer.runs.options import Cancellation, RunOrder
from importer.runs.plans import StoredPlan

logger = logging.getLogger("platform.importer")
Status = ImportRun.Status
_IN_MEMORY = 1 << 23
_SECONDS_TO_END = 1.0
_BETWEEN_TRIES = 0.02


def execute(
    order: RunOrder,
    *,
    cancellation: Cancellation | None = None,
    progress: Progress = lambda stage, done, total: None,
    begun: Callable[[], None] = lambda: None,
) -> Report:
    """Execute a run and return the report.

    ``begun`` is called when the lock is held and the record of the run exists; whatever
    prevents a run has been raised before.
    """
    what = DRY_RUN if order.options.dry_run else IMPORT
    running.refuse_if_stopped()
    with (
        translation.override(order.language),
        _lock_when_free(order.user.get_username(), what) as held,
        _seekable(order.source) as source,
    ):
        history.mark_interrupted()
        record = history.RunRecord(order)
        return _Run(order, record, held, cancellation, progress).run(source, begun)


@contextmanager
def _lock_when_free(who: str, what: str) -> Iterator[ProcessLock]:
    """Hold the import lock; raise ImportInProgress while another run is in progress.

    A run's end is visible before its lock is free, and a check for dead runs holds the
    lock briefly; a run started at that time waits for it.
    """
    until = time.monotonic() + _SECONDS_TO_END
    with ExitStack() as stack:
        while True:
            try:
                held = stack.enter_context(import_lock(who, what))
                break
            except ImportInProgress as busy:
                if busy.run_id or time.monotonic() >= until:
                    raise
                time.sleep(_BETWEEN_TRIES)
        yield held


@contextmanager
def _seekable(stream: BinaryIO) -> Iterator[BinaryIO]:
    """Yield a stream that can be read twice: the given one or a temporary copy."""
    if stream.seekable():
        yield stream
        return
    with tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY) as whole:
        shutil.copyfileobj(stream, whole)
        yield whole  # type: ignore[misc]


class _Run:
    """One run of the pipeline, between its record and its report."""

    def __init__(
        self,
        order: RunOrder,
        record: history.RunRecord,
        held: ProcessLock,
        cancellation: Cancellation | None,
        progress: Progress,
    ) -> None:
        self._order = order
        self._record = record
        self._held = held
        self._cancellation = cancellation
        self._progress = progress
        # What is based on another run has the dates of that run.
        dated = record if order.based_on is None else order.based_on
        self._moment = Moment(dated.started_at, order.zone)
        self._builder = ReportBuilder(self._keep)
        self._ended = False

    def run(self, source: BinaryIO, begun: Callable[[], None]) -> Report:
        """Run, and store the end in any case."""
        order, options = self._order, self._order.options
        # The run leaves the list of running ones before its end is visible.
        with (
            numbering_rows(),
            running.registered(order.run_id, self._builder) as self._going,
        ):
            pipeline = Pipeline(
                source,
                registry.package_format(),
                registry.targets(),
                RunSettings(
                    options.dry_run,
                    options.continue_on_error,
                    options.default_policies,
                    options.window,
                    self._report_progress,
                    self._is_cancelled,
                    yield_to_requests=self._between_objects,
                    checks=registry.checks(),
                    plan=_plan_of(order),
                    chosen=order.chosen,
                ),
                self._builder,
            )
            try:
                begun()
                # A bare date of a package means midnight in the zone of the run.
                with relaxed(), timezone.override(order.zone):
                    status = self._status(pipeline)
                pipeline.report_not_reached()
                pipeline.locate_causes()
                self._keep_package(status, source)
            except BaseException:
                self._builder.say(error(paths.WHOLE, unexpected()))
                self._finish(Status.FAILED, pipeline)
                raise
        return self._finish(status, pipeline)

    def _finish(self, status: str, pipeline: Pipeline) -> Report:
        """Store the report with a durable commit, which also makes earlier commits
        durable."""
        # Entries from here on are stored with the end, or not at all.
        self._ended = True
        if connection.errors_occurred:
            # A new connection doesn't have the problems of this one.
            connection.close_if_unusable_or_obsolete()
        order = self._order
        report = self._builder.report(
            order.run_id, status, dry_run=order.options.dry_run
        )
        self._record.finish(report, pipeline.total)
        return report

    def _keep_package(self, status: str, source: BinaryIO) -> None:
        """Keep the package if somebody may act on the run."""
        if self._order.options.dry_run:
            wanted = status == Status.COMPLETED
        else:
            counts, conflicts = self._builder.counts, self._builder.conflicts
            kept = conflicts or any(counts[outcome] for outcome in KEPT)
            wanted = bool(kept) and self._order.chosen is None
        if wanted:
            self._record.keep_package(source)

    def _keep(self, chunk: Chunk) -> None:
        if not self._ended:
            self._record.keep(chunk)

    def _status(self, pipeline: Pipeline) -> str:
        try:
            header = pipeline.read(self._record.name)
            self._warn_of_older_version(header)
            objected = pipeline.check_package(header, self._moment)
            if not objected and pipeline.refuse_invalid():
                return Status.FAILED
            with registry.surrounding(self._context(header)):
                carry_out = pipeline.find_other_errors if objected else pipeline.apply
                user = self._order.user
                done = carry_out(header, self._moment, user, refreshed)
        except PackageError as refusal:
            for diagnostic in refusal.diagnostics:
                self._builder.say(diagnostic)
            return Status.FAILED
        except Cancelled:
            return Status.INTERRUPTED
        except LockLost as lost:
            self._builder.say(error(paths.WHOLE, str(lost)))
            return Status.INTERRUPTED
        except Exception as failure:  # a run always ends with a report
            run_id = self._order.run_id
            named = {"run_id": str(run_id)}
            if is_out_of_space(failure):  # not a bug, so a sentence suffices
                logger.error("Run %s ended: the disk is full", run_id, extra=named)
            else:
                logger.exception("Run %s ended unexpectedly", run_id, extra=named)
            self._builder.say(error(paths.WHOLE, reason_of(failure)))
            return Status.FAILED
        return Status.COMPLETED if done else Status.FAILED

    def _warn_of_older_version(self, header: Header) -> None:
        """Warn that a newer version of the package has been applied already."""
        applied = history.applied_version(header)
        if applied is not None and header.version < applied:
            sentence = _(
                "version: this is version %(given)s of the package, but version "
                "%(applied)s has been imported already; check that the file is the "
                "right one"
            )
            words = {"given": header.version, "applied": applied}
            warning = Diagnostic(Severity.WARNING, "version", sentence % words)
            self._builder.say(warning)

    def _context(self, header: Header) -> registry.RunContext:
        return registry.RunContext(
            run_id=self._order.run_id,
            user=self._order.user,
            origin=header.origin,
            package=header.package,
            dry_run=self._order.options.dry_run,
        )

    def _report_progress(self, stage: str, done: int, total: int | None) -> None:
        going = self._going
        if total is None:
            going.checked(done)
        else:
            going.begin(total)
        self._record.progress(going)
        self._progress(stage, done, total)

    def _is_cancelled(self) -> bool:
        """Return whether the run has been cancelled; storing progress checks for it."""
        going, caller = self._going, self._cancellation
        self._record.progress(going)
        return going.stop.is_set() or (caller is not None and caller.is_set())

    def _between_objects(self) -> None:
        """Report progress and yield to requests, outside of any transaction."""
        going = self._going
        if going.tick():
            keep(self._held)
            if going.total is not None:
                stage = "planning" if self._order.options.dry_run else "importing"
                self._progress(stage, going.done, going.total)
        yield_to_requests()


def _plan_of(order: RunOrder) -> StoredPlan | None:
    """Return the plan that a run carries out, if any."""
    if order.kind != ImportRun.Kind.PLAN or order.based_on is None:
        return None
    return StoredPlan(order.based_on)
