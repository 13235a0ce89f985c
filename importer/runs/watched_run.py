"""What the runs of packages and undo have in common: a record, progress, cancellation,
and an end with a report in any case."""

from __future__ import annotations

import logging
import socket
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import ClassVar

from django.db import connection
from django.utils import timezone

from importer.backpressure import yield_to_requests
from importer.locks import ProcessLock
from importer.models import ImportRun
from importer.package import paths
from importer.package.shapes import (
    Outcome,
    PackageError,
    error,
)
from importer.pipeline.report import Chunk, Outcomes, Report, ReportBuilder
from importer.pipeline.row_numbers import numbering_rows
from importer.pipeline.run_settings import Cancelled, Progress
from importer.runs import history, running
from importer.runs.durability import relaxed
from importer.runs.failures import is_out_of_space, reason_of, unexpected
from importer.runs.lock import LockLost, keep
from importer.runs.options import Cancellation, RunOrder

logger = logging.getLogger("platform.importer")
Status = ImportRun.Status


class WatchedRun(ABC):
    """One run between its record and its report. A subclass does the work."""

    outcomes: ClassVar[Outcomes] = Outcome
    stage: str

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
        self._builder = ReportBuilder(self._keep, self.outcomes)
        self._ended = False

    @abstractmethod
    def work(self) -> bool:
        """Do the work; return False if it stopped at an error."""

    @property
    @abstractmethod
    def total(self) -> int:
        """Return the number of objects or rows of the run."""

    def complete(self, status: str) -> None:  # noqa: B027 - not every run has anything to add
        """Complete the report after the work."""

    def run(self, begun: Callable[[], None]) -> Report:
        """Run, and store the end in any case."""
        order, self._begun = self._order, time.monotonic()
        # The run leaves the list of running ones before its end is visible.
        with (
            numbering_rows(),
            running.registered(order.run_id, self._builder) as self._going,
        ):
            try:
                begun()
                self._log_begin()
                # A bare date of a package means midnight in the zone of the run.
                with relaxed(), timezone.override(order.zone):
                    status = self._status()
                self.complete(status)
            except BaseException:
                self._builder.say(error(paths.WHOLE, unexpected()))
                self._finish(Status.FAILED)
                raise
        return self._finish(status)

    def _finish(self, status: str) -> Report:
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
        self._record.finish(report, self.total)
        self._log_end(report)
        return report

    def _log_begin(self) -> None:
        """Log the begin, with the machine, because one of several nodes may have it."""
        order = self._order
        logger.log(
            _level(order),
            "Run %s begins on %s: %s, started by %s (%s)",
            order.run_id,
            socket.gethostname(),
            _what(order),
            order.user.get_username(),
            order.started_via,
            extra=order.log_fields,
        )

    def _log_end(self, report: Report) -> None:
        counts = [f"{name} {count}" for name, count in report.counts.items() if count]
        logger.log(
            _level(self._order),
            "Run %s ended: %s on %s after %.1f s; %s: %s",
            report.run_id,
            report.status,
            socket.gethostname(),
            time.monotonic() - self._begun,
            self._record.package or "no package",
            ", ".join(counts) or "no objects",
            extra=self._order.log_fields,
        )

    def _keep(self, chunk: Chunk) -> None:
        if not self._ended:
            self._record.keep(chunk)

    def _status(self) -> str:
        try:
            done = self.work()
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
            run_id, named = self._order.run_id, self._order.log_fields
            if is_out_of_space(failure):  # not a bug, so a sentence suffices
                logger.error("Run %s ended: the disk is full", run_id, extra=named)
            else:
                logger.exception("Run %s ended unexpectedly", run_id, extra=named)
            self._builder.say(error(paths.WHOLE, reason_of(failure)))
            return Status.FAILED
        return Status.COMPLETED if done else Status.FAILED

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
        self._record.progress(self._going)
        return self._is_asked_to_stop()

    def _is_asked_to_stop(self) -> bool:
        caller = self._cancellation
        return self._going.stop.is_set() or (caller is not None and caller.is_set())

    def _between_objects(self) -> None:
        """Report progress and yield to requests, outside of any transaction."""
        self._tick()
        yield_to_requests()

    def _tick(self) -> None:
        """Keep the lock and report progress to the caller, once a second."""
        going = self._going
        if going.tick():
            keep(self._held)
            if going.total is not None:
                self._progress(self.stage, going.done, going.total)


def _what(order: RunOrder) -> str:
    """Return what a run does, for the log."""
    what = "undo" if order.kind == ImportRun.Kind.UNDO else "import"
    return f"dry run of an {what}" if order.options.dry_run else what


def _level(order: RunOrder) -> int:
    """Return the level of lines about a run: a command tells its user itself."""
    is_command = order.started_via.startswith(ImportRun.StartedVia.COMMAND)
    return logging.DEBUG if is_command else logging.INFO
