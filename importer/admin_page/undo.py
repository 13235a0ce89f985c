"""What the page of a run shows of its undo: the button that comes next."""

from __future__ import annotations

from typing import Any

from importer import registry, services
from importer.models import ImportRun
from importer.package.undo_results import UndoOutcome

Status = ImportRun.Status


def undo_parts(run: ImportRun, user: Any) -> dict[str, Any]:
    """Return the context of a run that has ended, with the undo that it allows.

    ``undoable`` is the run to undo: this one, or of an undo the run that it undoes, unless
    it is undone already. ``reverts`` is given after a dry run that allows the undo.
    """
    if not registry.may_import(user):
        return {}
    if run.kind == ImportRun.Kind.UNDO:
        return _of_undo(run)
    if run.dry_run:
        return {}
    return {"undoable": None if services.why_not_undoable(run) else run}


def _of_undo(run: ImportRun) -> dict[str, Any]:
    undone = run.based_on
    if undone is None or services.why_not_undoable(undone):
        return {}
    if run.dry_run and run.status == Status.COMPLETED:
        reverts = services.counts_of(run)[UndoOutcome.REVERTED]
        return {"undoable": undone, "reverts": reverts}
    return {"undoable": undone}
