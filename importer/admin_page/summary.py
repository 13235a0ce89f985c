"""The sentence at the top of a run's page: what happens to the rows, or has happened."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from django.utils.translation import gettext as _, ngettext

from importer.models import ImportRun
from importer.package.shapes import KEPT, WRITTEN, Outcome
from importer.package.undo_results import UndoOutcome
from importer.templatetags.importer_page import number

_CHANGED: Final = {*WRITTEN, UndoOutcome.REVERTED} - {Outcome.DELETED}


def summary_of(run: ImportRun, counts: dict[str, int]) -> str:
    """Return the sentence, without its full stop; empty if nothing is counted."""
    is_undo = run.kind == ImportRun.Kind.UNDO
    parts = _of_undo(run, counts) if is_undo else _of_import(run, counts)
    said = [words % {"count": number(count)} for count, words in parts if count]
    found = {outcome for outcome, count in counts.items() if count}
    # Only changed and unchanged rows are called rows, so others can't begin the sentence.
    if said and found.isdisjoint(_CHANGED) and found != {Outcome.UNCHANGED}:
        said.insert(0, _no_row(run))
    return ", ".join(said)


def _no_row(run: ImportRun) -> str:
    if run.kind == ImportRun.Kind.UNDO:
        return (
            _("No row would be reverted") if run.dry_run else _("No row was reverted")
        )
    return _("No row would change") if run.dry_run else _("No row was changed")


def _of_import(run: ImportRun, counts: dict[str, int]) -> Iterator[tuple[int, str]]:
    gone = counts.get(Outcome.DELETED, 0)
    writes = sum(counts.get(outcome, 0) for outcome in WRITTEN) - gone
    if run.dry_run:
        yield (
            writes,
            ngettext(
                "%(count)s row would change", "%(count)s rows would change", writes
            ),
        )
        yield (
            gone,
            ngettext("%(count)s would be deleted", "%(count)s would be deleted", gone),
        )
    else:
        yield (
            writes,
            ngettext(
                "%(count)s row was changed", "%(count)s rows were changed", writes
            ),
        )
        yield gone, ngettext("%(count)s was deleted", "%(count)s were deleted", gone)
    part = run.conflicts
    yield (
        part,
        ngettext(
            "%(count)s of them only in part", "%(count)s of them only in part", part
        ),
    )
    kept = sum(counts.get(outcome, 0) for outcome in KEPT)
    yield kept, ngettext("%(count)s is kept", "%(count)s are kept", kept)
    failed = counts.get(Outcome.FAILED, 0)
    yield failed, ngettext("%(count)s failed", "%(count)s failed", failed)
    missing = counts.get(Outcome.MISSING, 0)
    yield missing, ngettext("%(count)s is missing", "%(count)s are missing", missing)
    same = counts.get(Outcome.UNCHANGED, 0)
    if same == sum(counts.values()):
        words = ngettext(
            "The only row is unchanged", "All %(count)s rows are unchanged", same
        )
    else:
        words = ngettext("%(count)s is unchanged", "%(count)s are unchanged", same)
    yield same, words


def _of_undo(run: ImportRun, counts: dict[str, int]) -> Iterator[tuple[int, str]]:
    back = counts.get(UndoOutcome.REVERTED, 0)
    if run.dry_run:
        yield (
            back,
            ngettext(
                "%(count)s row would be reverted",
                "%(count)s rows would be reverted",
                back,
            ),
        )
    else:
        yield (
            back,
            ngettext(
                "%(count)s row was reverted", "%(count)s rows were reverted", back
            ),
        )
    kept = counts.get(UndoOutcome.KEPT, 0)
    yield kept, ngettext("%(count)s is kept", "%(count)s are kept", kept)
    held = counts.get(UndoOutcome.BLOCKED, 0)
    yield (
        held,
        ngettext("%(count)s can't be reverted", "%(count)s can't be reverted", held),
    )
    gone = counts.get(UndoOutcome.GONE, 0)
    yield (
        gone,
        ngettext("%(count)s is deleted already", "%(count)s are deleted already", gone),
    )
