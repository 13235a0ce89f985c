"""The execution of one run from its lock to its report, in the calling thread.

Foreground and background runs both use ``execute``.
"""

from __future__ import annotations

import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from typing import Any, BinaryIO

from django.utils import translation
from django.utils.translation import gettext as _

from importer import registry
from importer.locks import ProcessLock
from importer.models import ImportRun
from importer.package.shapes import (
    KEPT,
    Diagnostic,
    Header,
    Outcome,
    Severity,
)
from importer.package.tokens import Moment
from importer.pipeline.report import Report
from importer.pipeline.run import Pipeline
from importer.pipeline.run_settings import Progress, RunSettings
from importer.runs import history, running
from importer.runs.applied_versions import applied_version
from importer.runs.current_user import refreshed
from importer.runs.lock import (
    DRY_RUN,
    IMPORT,
    ImportInProgress,
    import_lock,
)
from importer.runs.options import Cancellation, RunOrder
from importer.runs.plans import StoredPlan
from importer.runs.undo_run import UndoRun
from importer.runs.watched_run import WatchedRun

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
        order = replace(order, source=source)
        kind = UndoRun if order.kind == ImportRun.Kind.UNDO else PackageRun
        return kind(order, record, held, cancellation, progress).run(begun)


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


class PackageRun(WatchedRun):
    """One run of the pipeline."""

    def __init__(
        self, order: RunOrder, record: history.RunRecord, *others: Any
    ) -> None:
        super().__init__(order, record, *others)
        options = order.options
        self.stage = "planning" if options.dry_run else "importing"
        # What is based on another run has the dates of that run.
        based_on = order.based_on
        present = record.started_at if based_on is None else based_on.present
        self._moment = Moment(present, order.zone)
        self._pipeline = Pipeline(
            order.source,
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

    @property
    def total(self) -> int:
        """Return the number of the package's objects and missing rows."""
        return self._pipeline.total

    def work(self) -> bool:
        """Import the package; return False if it stopped at an error."""
        pipeline = self._pipeline
        header = pipeline.read(self._record.name)
        self._warn_of_older_version(header)
        objected = pipeline.check_package(header, self._moment)
        if not objected and pipeline.refuse_invalid():
            return False
        with registry.surrounding(self._context(header)):
            carry_out = pipeline.find_other_errors if objected else pipeline.apply
            user = self._order.user
            return carry_out(header, self._moment, user, refreshed)

    def complete(self, status: str) -> None:
        """Report what was not reached and where the causes of failures are; keep the
        package."""
        self._pipeline.report_not_reached()
        self._pipeline.report_moved_marks()
        self._pipeline.locate_causes()
        self._keep_package(status)

    def _keep_package(self, status: str) -> None:
        """Keep the package if somebody may act on the run."""
        if self._order.options.dry_run:
            wanted = status == ImportRun.Status.COMPLETED
        else:
            counts, conflicts = self._builder.counts, self._builder.conflicts
            kept = conflicts or any(counts[one] for one in (Outcome.FAILED, *KEPT))
            wanted = bool(kept) and self._order.chosen is None
        if wanted:
            self._record.keep_package(self._order)
        elif status != ImportRun.Status.INTERRUPTED:
            self._record.forget_package()

    def _warn_of_older_version(self, header: Header) -> None:
        """Warn that a newer version of the package has been applied already."""
        applied = applied_version(header)
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


def _plan_of(order: RunOrder) -> StoredPlan | None:
    """Return the plan that a run carries out, if any."""
    if order.kind != ImportRun.Kind.PLAN or order.based_on is None:
        return None
    return StoredPlan(order.based_on)
