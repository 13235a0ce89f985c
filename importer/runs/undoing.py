"""The undo of runs: whether a run can be undone, and the start of its undo."""

from __future__ import annotations

import io
from collections.abc import Iterable
from typing import Any
from uuid import UUID, uuid4

from django.utils.translation import gettext as _

from importer import registry
from importer.models import ImportRun
from importer.package.undo_results import UndoOutcome
from importer.pipeline.report import Report
from importer.pipeline.run_settings import Progress
from importer.runs import background, reading
from importer.runs.dead_runs import end_dead_runs
from importer.runs.execution import execute
from importer.runs.options import (
    Cancellation,
    ImportOptions,
    RunOrder,
    language_for,
    zone_for,
)
from importer.runs.readers import UnknownRun

Status = ImportRun.Status


class NotUndoable(Exception):
    """The refusal to undo a run."""


def undo_run(
    run_id: UUID,
    options: ImportOptions = ImportOptions(),
    *,
    user: Any,
    cancellation: Cancellation | None = None,
    progress: Progress = lambda stage, done, total: None,
) -> Report:
    """Undo a run now, as a user, and return the report.

    Raise UnknownRun, NotUndoable, and what ``import_package`` raises.
    """
    order = _order(run_id, options, user)
    return execute(order, cancellation=cancellation, progress=progress)


def start_undo(
    run_id: UUID, options: ImportOptions = ImportOptions(), *, user: Any
) -> UUID:
    """Start the undo of a run in the background and return its own identifier.

    Raise UnknownRun, NotUndoable, and what ``start_run`` raises.
    """
    order = _order(run_id, options, user)
    background.engine().start(order)
    return order.run_id


def undo_of(run: ImportRun) -> ImportRun | None:
    """Return the undo of a run, the newest if there are several, None without one."""
    return ImportRun.objects.undoing(run.pk).first()


def undone_of(runs: Iterable[ImportRun]) -> frozenset[UUID]:
    """Return those of some runs that were undone, perhaps except for some rows."""
    undo = ImportRun.objects.real().filter(kind=ImportRun.Kind.UNDO)
    found = undo.filter(based_on__in=[run.pk for run in runs])
    keys = found.values_list("based_on", flat=True)
    return frozenset(key for key in keys if key is not None)


def why_not_undoable(run: ImportRun) -> str:
    """Return why a run can't be undone, an empty text if it can."""
    words = {"run": run.run_id}
    undo = undo_of(run)
    history = registry.history()
    if run.kind == ImportRun.Kind.UNDO:
        return (
            _(
                "The run %(run)s is an undo itself. To get its rows back, import the "
                "package again."
            )
            % words
        )
    if run.dry_run:
        return _("The run %(run)s is a dry run; it has written nothing.") % words
    if not run.has_ended:
        return (
            _(
                "The run %(run)s is still in progress. Cancel it or wait for its end; then "
                "you can undo it."
            )
            % words
        )
    if undo is not None and _is_final(undo):
        return _("The run %(run)s has been undone already, by the run %(undo)s.") % {
            **words,
            "undo": undo.run_id,
        }
    if history is not None and (reason := history.why_incomplete(run)):
        return reason
    if history is None or not history.knows(run):
        return (
            _(
                "There is nothing to undo: the run %(run)s has changed no row, or its "
                "changes aren't recorded."
            )
            % words
        )
    return ""


def _is_final(undo: ImportRun) -> bool:
    """Return whether a further undo would revert nothing more.

    Rows that were kept because of a later run can be reverted once that is undone.
    """
    if undo.status != Status.COMPLETED or undo.has_errors:
        return False
    if not reading.counts_of(undo)[UndoOutcome.KEPT]:
        return True
    others = ImportRun.objects.real().filter(kind=ImportRun.Kind.UNDO)
    return not others.filter(started_at__gt=undo.started_at).exists()


def _order(run_id: UUID, options: ImportOptions, user: Any) -> RunOrder:
    end_dead_runs()
    background.start_queued_runs()
    run = reading.find_run(run_id)
    if run is None:
        raise UnknownRun(run_id)
    reason = why_not_undoable(run)
    if reason:
        raise NotUndoable(reason)
    return RunOrder(
        run_id=options.run_id or uuid4(),
        source=io.BytesIO(),
        options=options,
        user=user,
        zone=zone_for(options, user),
        started_via=options.started_via or registry.started_via(),
        language=language_for(user),
        kind=ImportRun.Kind.UNDO,
        based_on=run,
    )
