"""The recorder for a package that is refused as a whole: it only keeps the errors of
objects, since nothing will be written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from importer.package.shapes import LIMIT_REACHED, Outcome, Problem, Step
from importer.pipeline.decide import Decision
from importer.pipeline.memory import Memory
from importer.pipeline.merge import Changes
from importer.pipeline.report import ReportBuilder
from importer.pipeline.resolve import DEPENDS
from importer.pipeline.results import ResultRecorder
from importer.pipeline.values import Entry, ExistingRow, KeptEntry
from importer.pipeline.write import Written


class RefusalRecorder(ResultRecorder):
    """A recorder that keeps only failed objects.

    Refusals by the limit itself are already reported for the whole package.
    """

    def __init__(self, report: ReportBuilder, memory: Memory) -> None:
        super().__init__(report, memory)
        self._limited: set[int] = set()

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
        """Record nothing: the object would have been written."""

    def unchanged(
        self, step: Step, entries: Sequence[Entry], rows: Mapping[str, ExistingRow]
    ) -> None:
        """Record nothing: the rows would not change."""

    def kept(
        self,
        step: Step,
        entry: Entry,
        decision: Decision,
        row: KeptEntry,
    ) -> None:
        """Record nothing: the row would not change."""

    def failed(
        self, step: Step, entry: Entry, problems: Sequence[Problem], name: str = ""
    ) -> None:
        """Record an object that would also be refused without the limit."""
        own = [problem for problem in problems if not self._of_the_limit(problem)]
        if own:
            super().failed(step, entry, own, name)
        else:
            self._limited.add(entry.number)
            self._memory.fail(entry.number)

    def _of_the_limit(self, problem: Problem) -> bool:
        if problem.code == DEPENDS:
            on = self._memory.numbers[str(problem.value)]
            return self._memory.root(on) in self._limited
        return problem.code == LIMIT_REACHED
