"""What the page of a run shows of its undo: links, and the button that comes next."""

from __future__ import annotations

from typing import Any

from importer import registry, services, undoing
from importer.models import ImportRun
from importer.package.undo_results import UndoOutcome

Status = ImportRun.Status


def undo_parts(run: ImportRun, user: Any) -> dict[str, Any]:
    """Return the context of a run that has ended, with the undo that it allows.

    ``undoable`` is the run to undo: this one, or of a dry run of an undo the run that
    it would undo.
    """
    if not registry.may_import(user):
        return {}
    if run.kind == ImportRun.Kind.UNDO:
        return _of_undo(run)
    if run.dry_run:
        return {}
    return {
        "undone_by": undoing.undo_of(run),
        "undoable": None if undoing.why_not_undoable(run) else run,
    }


def _of_undo(run: ImportRun) -> dict[str, Any]:
    undone = run.based_on
    counts = services.counts_of(run)
    confirmed = (
        undone is not None
        and run.dry_run
        and run.status == Status.COMPLETED
        and not undoing.why_not_undoable(undone)
    )
    return {
        "undone": undone,
        "reverts": counts[UndoOutcome.REVERTED],
        "undoable": undone if confirmed else None,
    }
