"""The results of objects: entries, diagnostics and their sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from importer.package import paths
from importer.package.item_result import ItemResult
from importer.package.shapes import (
    MORE,
    Diagnostic,
    Outcome,
    Problem,
    Severity,
    Step,
    error,
)
from importer.package.translation import gettext as _, gettext_noop, ngettext
from importer.package.wire_values import short
from importer.pipeline.decide import Decision
from importer.pipeline.memory import CodeUse, Memory
from importer.pipeline.merge import Changes
from importer.pipeline.plan import seal_of_removal
from importer.pipeline.removal_plan import MissingRow
from importer.pipeline.report import ReportBuilder
from importer.pipeline.resolve import DEPENDS
from importer.pipeline.row_numbers import shown_key
from importer.pipeline.step_warnings import StepWarnings
from importer.pipeline.table_places import RowPlaces
from importer.pipeline.values import Entry, ExistingRow, KeptEntry
from importer.pipeline.write import Written

_KEPT = {
    Outcome.SKIPPED_USER_MODIFIED: gettext_noop(
        "kept: a user changed the row after the import"
    ),
    Outcome.SKIPPED_DRIFT: gettext_noop(
        "kept: the object changed, and its step has onChange skip"
    ),
    Outcome.SKIPPED_DELETED: gettext_noop("not restored: a user deleted the row"),
}
_SAME = gettext_noop("the object changed, but the row already has its values")
_AGREED = gettext_noop(
    "kept: a user changed the row after the import, to exactly the values of the object"
)
_COPIED_ONCE = gettext_noop(
    "kept: the object changed, but a copy is made only once; later "
    "changes of the object or of its source are not applied"
)


class ResultRecorder:
    """The recorder of results and diagnostics."""

    def __init__(self, report: ReportBuilder, memory: Memory) -> None:
        self._report = report
        self._memory = memory
        self.warnings = StepWarnings(report)
        # Those of the table that the package was made from, if it was.
        self.places: RowPlaces | None = None

    def wrote(
        self,
        step: Step,
        entry: Entry,
        outcome: Outcome,
        written: Written,
        *,
        taken_from: str = "",
        conflicts: Changes | None = None,
    ) -> None:
        """Record an object that was written or planned, in a row that may have been
        taken from another package, or that keeps some values of a user."""
        message = written.message or _conflict(conflicts)
        if outcome is Outcome.UPDATED and written.idle:
            message = _(_SAME)
        elif taken_from:
            message = _("taken over from %(package)s") % {"package": short(taken_from)}
        details = {"changes": written.changes, "conflicts": conflicts}
        # A conflict is left to be decided, which needs the hash of the object.
        seal = written.seal or (entry.source_hash if conflicts else "")
        self._report.conflicts += bool(conflicts)
        name = written.name
        self._add(step, entry, outcome, message, seal=seal, name=name, **details)

    def unchanged(
        self, step: Step, entries: Sequence[Entry], rows: Mapping[str, ExistingRow]
    ) -> None:
        """Record objects of a step whose rows they don't change."""
        row_id, index, target = self._memory.row_id, step.index, step.target
        line, same = self._memory.file_line, Outcome.UNCHANGED
        results = [
            ItemResult(
                e.id,
                index,
                e.index,
                target,
                same,
                "",
                shown_key(row_id(e.number)),
                name=rows[e.id].name,
                line=line(e.number),
            )
            for e in entries
        ]
        self._report.add_all(same, results)

    def kept(
        self,
        step: Step,
        entry: Entry,
        decision: Decision,
        row: KeptEntry,
    ) -> None:
        """Record an object whose row is kept, with the differences."""
        outcome = decision.outcome
        reason = _KEPT[outcome] if row.differences != {} else _AGREED
        if step.source and outcome is Outcome.SKIPPED_DRIFT:
            reason = _COPIED_ONCE
        self._keep(step, entry, outcome, _conflict(row.conflicts) or _(reason), row)

    def moved(self, step: Step, entry: Entry, message: str, row: KeptEntry) -> None:
        """Record an object whose row a user has changed since the dry run."""
        self._keep(step, entry, Outcome.SKIPPED_USER_MODIFIED, message, row)

    def failed(
        self, step: Step, entry: Entry, problems: Sequence[Problem], name: str = ""
    ) -> None:
        """Record an object that was refused, and note it for its dependants.

        ``name`` is that of its row, or what it calls its row.
        """
        base = paths.item_path(step.index, entry.index)
        found = [error(paths.inside(base, p.path), p.message) for p in problems]
        self._count_causes(base, entry, problems)
        message = "; ".join(one.message for one in found)
        if self.places is not None:
            said = [self.places.sentence(entry.number, problem) for problem in problems]
            message = "; ".join(said)
        name = name or self._memory.names.get(entry.number, "")
        self._add(step, entry, Outcome.FAILED, message, name=name)

    def _count_causes(
        self, base: str, entry: Entry, problems: Sequence[Problem]
    ) -> None:
        """Count a failed object under its causes, or as a dependant of others."""
        memory, causes = self._memory, self._report.causes
        listed = [problem for problem in problems if problem.code != MORE]
        own = [problem for problem in listed if problem.code != DEPENDS]
        if own:
            causes.refused(entry.number, base, own)
            memory.fail(entry.number)
        else:
            on = [memory.numbers[str(problem.value)] for problem in listed]
            causes.depends(entry.number, on)
            memory.fail(entry.number, memory.root(on[0]))

    def missing(self, missing: MissingRow, outcome: Outcome, message: str = "") -> None:
        """Record a row whose object the file no longer has."""
        step, row_id = missing.policy.step, shown_key(missing.row_id)
        self._report.add(
            ItemResult(
                missing.key,
                step.index,
                None,
                step.target,
                outcome,
                message,
                row_id,
                seal=seal_of_removal(missing.version),
                name=missing.name,
            )
        )

    def refused(self, step: Step, key: str, problem: Problem) -> None:
        """Report why a step doesn't do what one of its keys asks for."""
        path = paths.inside(paths.step_path(step.index), key)
        found = error(path, problem.message, problem.code)
        self._report.say(found, problem.remedy)

    @property
    def has_errors(self) -> bool:
        """Return whether the run has errors so far."""
        return self._report.has_errors

    def not_reached(self, count: int) -> None:
        """Report how many objects the run did not reach (OPEN-41)."""
        if count > 0:
            message = ngettext(
                "%(count)s object was not reached.",
                "%(count)s objects were not reached.",
                count,
            )
            self._report.say(Diagnostic(Severity.INFO, paths.WHOLE, message))

    def moved_marks(self, count: int) -> None:
        """Report how many rows were found under former names."""
        if not count:
            return
        message = ngettext(
            "%(count)s row is marked with a former name of the package or of its object, "
            "and gets the new one (renamedFrom, $was).",
            "%(count)s rows are marked with former names of the package or of their "
            "objects, and get the new ones (renamedFrom, $was).",
            count,
        )
        self._report.say(Diagnostic(Severity.INFO, paths.WHOLE, message))

    def missing_code(self, step: Step, entry: Entry, use: CodeUse) -> None:
        """Warn of a ``$code`` of a settled object that no row has (any more)."""
        path = paths.inside(paths.item_path(step.index, entry.index), use.path)
        message = _(
            "%(path)s: no row of %(target)s has the code %(code)s; the row "
            "of this object is not changed"
        ) % {"path": path, "target": use.to, "code": short(use.code)}
        self._report.say(Diagnostic(Severity.WARNING, path, message))

    def predicted_code(self, step: Step, entry: Entry, use: CodeUse) -> None:
        """Warn of a ``$code`` that only the real run will draw (OPEN-29)."""
        path = paths.inside(paths.item_path(step.index, entry.index), use.path)
        message = _(
            "%(path)s: the run will give %(code)s to a row of %(target)s, unless "
            "another user takes it first; refer to the object by $ref instead"
        ) % {"path": path, "target": use.to, "code": short(use.code)}
        self._report.say(Diagnostic(Severity.WARNING, path, message))

    def _keep(
        self, step: Step, entry: Entry, outcome: Outcome, message: str, row: KeptEntry
    ) -> None:
        """Record a kept row, with the hash of its object for a decision about it."""
        self._add(
            step,
            entry,
            outcome,
            message,
            seal=entry.source_hash,
            differences=row.differences,
            conflicts=row.conflicts,
            name=row.name,
            kept=row.change,
        )

    def _add(
        self, step: Step, entry: Entry, outcome: Outcome, message: str, **details: Any
    ) -> None:
        row_id = shown_key(self._memory.row_id(entry.number))
        line = self._memory.file_line(entry.number)
        place = (entry.id, step.index, entry.index, step.target)
        self._report.add(
            ItemResult(*place, outcome, message, row_id, line=line, **details)
        )


def _conflict(conflicts: Changes | None) -> str:
    """Return that the row keeps properties that both sides changed, if it does."""
    if not conflicts:
        return ""
    return _(
        "kept where both a user and the package changed a value: %(properties)s"
    ) % {"properties": ", ".join(conflicts)}
