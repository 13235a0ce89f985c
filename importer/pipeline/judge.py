"""Tells what is wrong with the objects of a package that is refused as a whole: all the
rest of a report would speak of writes that no run makes."""

from __future__ import annotations

from collections.abc import Sequence

from importer.package.shapes import LIMIT_REACHED, Outcome, Problem, Step
from importer.pipeline.decide import Decision
from importer.pipeline.memory import Memory
from importer.pipeline.report import Gathering
from importer.pipeline.resolve import DEPENDS
from importer.pipeline.tell import Teller
from importer.pipeline.values import Entry
from importer.pipeline.write import Changes, Written


class JudgingTeller(Teller):
    """The teller of failed objects alone.

    What only the limit refuses is told of the whole package already.
    """

    def __init__(self, gathering: Gathering, memory: Memory) -> None:
        super().__init__(gathering, memory)
        self._limited: set[int] = set()

    def wrote(
        self, step: Step, entry: Entry, outcome: Outcome, written: Written
    ) -> None:
        """Tell nothing: it would have been written."""

    def kept(
        self,
        step: Step,
        entry: Entry,
        decision: Decision,
        differences: Changes | None = None,
    ) -> None:
        """Tell nothing: its row stays as it is anyway."""

    def failed(self, step: Step, entry: Entry, problems: Sequence[Problem]) -> None:
        """Tell of an object that would be refused without the limit as well."""
        own = [problem for problem in problems if not self._of_the_limit(problem)]
        if own:
            super().failed(step, entry, own)
        else:
            self._limited.add(entry.number)
            self._memory.fail(entry.number)

    def not_judged(self, count: int) -> None:
        """Tell nothing: there will be no run to judge it."""

    def _of_the_limit(self, problem: Problem) -> bool:
        if problem.code == DEPENDS:
            on = self._memory.numbers[str(problem.value)]
            return self._memory.root(on) in self._limited
        return problem.code == LIMIT_REACHED
