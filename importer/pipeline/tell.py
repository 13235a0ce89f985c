"""Tell what happened to each object: results, diagnostics and their sentences."""

from __future__ import annotations

from collections.abc import Sequence

from importer.package import paths
from importer.package.shapes import (
    MORE,
    Diagnostic,
    ItemResult,
    Outcome,
    Problem,
    Severity,
    Step,
    error,
)
from importer.package.wire_values import short
from importer.package.words import gettext as _
from importer.package.words import gettext_noop, ngettext
from importer.pipeline.decide import Decision
from importer.pipeline.memory import CodeUse, Memory
from importer.pipeline.remarks import Remarks
from importer.pipeline.report import Gathering
from importer.pipeline.resolve import DEPENDS
from importer.pipeline.values import Entry
from importer.pipeline.write import Changes, Written

_KEPT = {
    Outcome.UNCHANGED: "",
    Outcome.SKIPPED_USER_MODIFIED: gettext_noop(
        "kept: a user changed the row after the import"
    ),
    Outcome.SKIPPED_DRIFT: gettext_noop(
        "kept: the object changed, and its step says onChange skip"
    ),
    Outcome.SKIPPED_DELETED: gettext_noop("kept deleted: a user deleted the row"),
}
_SAME = gettext_noop("the object changed, but nothing in the row differs from it")
_AGREED = gettext_noop(
    "kept: a user changed the row after the import, to just what the object says"
)
_COPIED_ONCE = gettext_noop(
    "kept: the object changed, but a copy is made once; later changes of the object "
    "or of its source are not followed"
)


class Teller:
    """Turn what the stations did into results and diagnostics."""

    def __init__(self, gathering: Gathering, memory: Memory) -> None:
        self._gathering = gathering
        self._memory = memory
        self.remarks = Remarks(gathering)

    def wrote(
        self,
        step: Step,
        entry: Entry,
        outcome: Outcome,
        written: Written,
    ) -> None:
        """Tell of an object that was written, or planned."""
        same = outcome is Outcome.UPDATED and written.idle
        self._add(step, entry, outcome, _(_SAME) if same else "", written.changes)

    def kept(
        self,
        step: Step,
        entry: Entry,
        decision: Decision,
        differences: Changes | None = None,
    ) -> None:
        """Tell of an object whose row stays as it is, and what it would have changed."""
        told = _KEPT[decision.outcome] if differences != {} else _AGREED
        if step.source and decision.outcome is Outcome.SKIPPED_DRIFT:
            told = _COPIED_ONCE
        message = _(told) if told else ""
        self._add(step, entry, decision.outcome, message, None, differences=differences)

    def failed(
        self,
        step: Step,
        entry: Entry,
        problems: Sequence[Problem],
    ) -> None:
        """Tell of an object that was refused, and remember it for its dependants."""
        base = paths.item_path(step.index, entry.index)
        found = [error(paths.inside(base, p.path), p.message) for p in problems]
        self._blame(base, entry, problems)
        message = "; ".join(one.message for one in found)
        self._add(step, entry, Outcome.FAILED, message, None)

    def _blame(self, base: str, entry: Entry, problems: Sequence[Problem]) -> None:
        """Count a failed object under its causes, or under those it depends on."""
        memory, causes = self._memory, self._gathering.causes
        told = [problem for problem in problems if problem.code != MORE]
        own = [problem for problem in told if problem.code != DEPENDS]
        if own:
            causes.refused(entry.number, base, own)
            memory.fail(entry.number)
        else:
            on = [memory.numbers[str(problem.value)] for problem in told]
            causes.depends(entry.number, on)
            memory.fail(entry.number, memory.root(on[0]))

    def not_judged(self, count: int) -> None:
        """Warn that a dry run cannot tell whether rows can be posted (OPEN-30)."""
        if count:
            message = ngettext(
                "Posting of 1 document is judged in the real run only.",
                "Posting of %(count)s documents is judged in the real run only.",
                count,
            )
            warning = Diagnostic(Severity.WARNING, paths.WHOLE, message)
            self._gathering.say(warning)

    def not_reached(self, count: int) -> None:
        """Say how many objects the run did not come to (OPEN-41)."""
        if count > 0:
            message = ngettext(
                "%(count)s object was not reached.",
                "%(count)s objects were not reached.",
                count,
            )
            self._gathering.say(Diagnostic(Severity.INFO, paths.WHOLE, message))

    def code_gone(self, step: Step, entry: Entry, use: CodeUse) -> None:
        """Warn of a ``$code`` of a settled object that finds no row (any more)."""
        path = paths.inside(paths.item_path(step.index, entry.index), use.path)
        message = _(
            "%(path)s: no row of %(target)s has the code %(code)s; the row of this "
            "object is left as it is"
        ) % {"path": path, "target": use.to, "code": short(use.code)}
        self._gathering.say(Diagnostic(Severity.WARNING, path, message))

    def code_to_come(self, step: Step, entry: Entry, use: CodeUse) -> None:
        """Warn of a ``$code`` that only the run itself will give to a row (OPEN-29)."""
        path = paths.inside(paths.item_path(step.index, entry.index), use.path)
        message = _(
            "%(path)s: the run will give %(code)s to a row of %(target)s, unless "
            "somebody else gets it before; name the object by $ref instead"
        ) % {"path": path, "target": use.to, "code": short(use.code)}
        self._gathering.say(Diagnostic(Severity.WARNING, path, message))

    def _add(
        self,
        step: Step,
        entry: Entry,
        outcome: Outcome,
        message: str,
        changes: Changes | None,
        *,
        differences: Changes | None = None,
    ) -> None:
        row_id = self._memory.row_id(entry.number)
        if row_id is not None and row_id < 0:
            row_id = None  # only planned
        self._gathering.add(
            ItemResult(
                entry.id,
                step.index,
                entry.index,
                step.target,
                outcome,
                message,
                row_id,
                changes,
                differences,
            )
        )
