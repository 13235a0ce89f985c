"""Look over a checked package before its first write: what each step would bring, for
the checks other apps have registered; what they object to ends the run."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import msgspec

from importer.package import paths
from importer.package.references import SOURCE
from importer.package.shapes import PackageError, Step, error
from importer.pipeline.decide import Action, decide
from importer.pipeline.locate import entries_of, locate_by_mark
from importer.pipeline.memory import CodeUse, Memory
from importer.pipeline.ports import Targets
from importer.pipeline.values import Entry, Sighting

_WITH_VALUES = (Action.VALUES, Action.RESTORE_VALUES)


class Survey(msgspec.Struct, frozen=True):
    """Hold what a step would bring.

    ``new`` counts its objects without a mark, ``lines`` those of the longest array a
    row would get; rows that keep their lines, or lose some, do not count there.
    """

    step: Step
    new: int
    lines: int


class PackageCheck(msgspec.Struct, frozen=True):
    """Judge whole packages by the surveys of their steps into some targets.

    ``judge`` returns a sentence for each objection.
    """

    targets: frozenset[str]
    judge: Callable[[Sequence[Survey]], Iterable[str]]


class Surveyor:
    """Survey the steps of one package: a few queries per window."""

    def __init__(
        self, targets: Targets, memory: Memory, package: str, window: int
    ) -> None:
        self._targets = targets
        self._memory = memory
        self._package = package
        self._window = window

    def object_to(
        self, checks: Iterable[PackageCheck], passed: Callable[[], None]
    ) -> None:
        """Put the steps to the checks; PackageError with what they object to.

        ``passed`` is called before each window.
        """
        made: dict[int, Survey] = {}
        sentences: list[str] = []
        for check in checks:
            steps = [s for s in self._memory.steps if s.target in check.targets]
            for step in steps:
                if step.index not in made:
                    made[step.index] = self._survey(step, passed)
            surveys = [made[step.index] for step in steps]
            sentences += check.judge(surveys) if surveys else ()
        if sentences:
            raise PackageError(*(error(paths.WHOLE, text) for text in sentences))

    def _survey(self, step: Step, passed: Callable[[], None]) -> Survey:
        span, new, lines = self._memory.span(step.index), 0, 0
        for start in range(span.start, span.stop, self._window):
            passed()
            end = min(start + self._window, span.stop)
            more, longest = self._look(step, range(start, end))
            new, lines = new + more, max(lines, longest)
        return Survey(step, new, lines)

    def _look(self, step: Step, numbers: range) -> tuple[int, int]:
        memory, target = self._memory, self._targets[step.target]
        entries = [e for e in entries_of(memory, numbers) if not self._bad(e)]
        seen = locate_by_mark(target, memory, self._package, entries)
        fresh = [entry for entry in entries if entry.id not in seen]
        rewritten = {
            entry.number: seen[entry.id]
            for entry in entries
            if entry.id in seen and self._rewrites(step, entry, seen[entry.id])
        }
        had = target.lines([sighting.row_id for sighting in rewritten.values()])
        grown = (
            memory.lines(number)
            for number, sighting in rewritten.items()
            if memory.lines(number) > had.get(sighting.row_id, 0)
        )
        given = (memory.lines(entry.number) for entry in fresh)
        copied = self._copied({entry.number for entry in fresh}, numbers)
        return len(fresh), max((*given, *grown, *copied), default=0)

    def _bad(self, entry: Entry) -> bool:
        return entry.number in self._memory.problems

    def _rewrites(self, step: Step, entry: Entry, seen: Sighting) -> bool:
        if not self._memory.lines(entry.number):
            return False
        return decide(seen, entry.source_hash, step.policy).action in _WITH_VALUES

    def _copied(self, fresh: set[int], numbers: range) -> Iterable[int]:
        """Return the lines of the stored rows that new objects are made from.

        Of a source in the package the reader has counted them already.
        """
        by_target: dict[str, list[CodeUse]] = {}
        for use in self._memory.code_uses(numbers):
            made = use.path == SOURCE and use.number in fresh
            if made and not self._memory.lines(use.number):
                by_target.setdefault(use.to, []).append(use)
        for to, uses in by_target.items():
            source = self._targets[to]
            codes = list({use.code for use in uses})
            row_ids = [row_id for _, row_id in source.live(source.spec.code, codes)]
            yield from source.lines(row_ids).values()
