"""The undo of a run: row by row in reverse order, as a run of its own.

A dry run does the same inside one transaction that is rolled back, because only then
it predicts references and posting exactly. Meanwhile it stores nothing, not even its
progress.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from django.db import transaction

from importer import registry
from importer.package import paths
from importer.package.shapes import (
    Header,
    NotAllowed,
    ObjectError,
    Origin,
    PackageError,
    error,
)
from importer.package.translation import gettext as _
from importer.package.undo_results import UndoOutcome, UndoResult
from importer.pipeline.ports import Stale
from importer.pipeline.report import Chunk
from importer.pipeline.run_settings import Cancelled
from importer.pipeline.shown_changes import shown_changes
from importer.registry import RevertibleRow
from importer.runs.current_user import refreshed
from importer.runs.watched_run import WatchedRun

_ORIGINS = {origin.stored: origin for origin in Origin}


class UndoRun(WatchedRun):
    """One undo of a run."""

    outcomes = UndoOutcome
    stage = "undoing"
    _total = 0
    _rolls_back = False

    @property
    def total(self) -> int:
        """Return the number of rows that the run wrote."""
        return max(self._total, self._builder.done)

    def work(self) -> bool:
        """Revert the rows of the run."""
        order, history = self._order, registry.history()
        run = order.based_on
        if run is None or history is None:  # removed since the undo was ordered
            return False
        if reason := history.why_incomplete(run):
            # What it needs left the history after the undo was ordered.
            raise PackageError(error(paths.WHOLE, reason))
        origin = _ORIGINS.get(run.origin, Origin.IMPORT)
        self._record.name(Header(run.package, run.version or 0, origin, ""))
        self._total = history.count(run)
        self._report_progress(self.stage, 0, self._total)
        context = registry.RunContext(
            run_id=order.run_id,
            user=order.user,
            origin=Origin.IMPORT,
            package=run.package,
            dry_run=order.options.dry_run,
        )
        with registry.surrounding(context), self._transaction():
            for rows in history.windows(run, order.options.window):
                self._revert_window(rows)
        return True

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        """Roll back everything inside the block in a dry run."""
        if not self._order.options.dry_run:
            yield
            return
        with transaction.atomic():
            self._rolls_back = True
            try:
                yield
            finally:
                self._rolls_back = False
                transaction.set_rollback(True)

    def _revert_window(self, rows: Sequence[RevertibleRow]) -> None:
        try:
            user, refusal = refreshed(self._order.user), None
        except NotAllowed as error:
            user, refusal = None, error
        for row in rows:
            if self._is_cancelled():
                raise Cancelled
            self._between_objects()
            self._builder.add(_reverted(row, user, refusal))
        if not self._rolls_back:
            self._report_progress(self.stage, self._builder.done, self.total)

    def _keep(self, chunk: Chunk) -> None:
        # What a dry run stores now would be rolled back; it is stored with the end.
        if not self._rolls_back:
            super()._keep(chunk)

    def _is_cancelled(self) -> bool:
        if self._rolls_back:
            self._record.check_for_stop(self._going)
            return self._is_asked_to_stop()
        return super()._is_cancelled()

    def _between_objects(self) -> None:
        if self._rolls_back:
            # Others wait for this transaction, so it doesn't wait for them.
            self._tick()
        else:
            super()._between_objects()


def _reverted(row: RevertibleRow, user: Any, refusal: NotAllowed | None) -> UndoResult:
    """Revert a row unless it stays, and return the result."""
    if row.outcome is not None:
        return _result(row, row.outcome, row.message)
    try:
        if refusal is not None:
            raise refusal
        try:
            row.revert(user)
        except Stale:
            row = row.read_again()
            if row.outcome is not None:
                return _result(row, row.outcome, row.message)
            row.revert(user)
    except ObjectError as error:
        texts = (
            f"{p.path}: {p.message}" if p.path else p.message for p in error.problems
        )
        return _result(row, UndoOutcome.BLOCKED, "; ".join(texts))
    except Stale:
        reason = _("somebody else is changing this row; start the undo again")
        return _result(row, UndoOutcome.BLOCKED, reason)
    return _result(row, UndoOutcome.REVERTED, row.message)


def _result(row: RevertibleRow, outcome: UndoOutcome, message: str) -> UndoResult:
    changes = row.changes if outcome is UndoOutcome.REVERTED else None
    shown = None if changes is None else shown_changes(changes)
    return UndoResult(
        row.id,
        None,
        None,
        row.target,
        outcome,
        message,
        row.row_id,
        shown,
        name=row.name,
    )
