"""The survey of a checked package before its first write: what each step would insert,
for checks registered by other apps. Their objections end the run."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import BinaryIO

import msgspec

from importer.package import paths
from importer.package.shapes import Header, Step
from importer.package.step_objects import SOURCE
from importer.pipeline.decide import Action, decide
from importer.pipeline.load import load_codes, load_matches
from importer.pipeline.locate import entries_of, locate_by_mark
from importer.pipeline.memory import Memory
from importer.pipeline.overlay import Overlay
from importer.pipeline.ports import Target, Targets
from importer.pipeline.reread import reread
from importer.pipeline.resolve import Resolver
from importer.pipeline.values import Entry, ExistingRow
from importer.pipeline.window import Window

# The number of lines of an object, and the number of the object.
Brought = tuple[int, int]
_WITH_VALUES = (Action.VALUES, Action.RESTORE_VALUES)


class Survey(msgspec.Struct, frozen=True):
    """The counts of a step.

    ``new`` is the number of rows it would insert, ``lines`` the longest array of lines
    that a row would get; existing rows count only if they would get more lines.
    ``longest`` names that object by path and ``$id``.
    """

    step: Step
    new: int
    lines: int
    longest: str = ""


class PackageCheck(msgspec.Struct, frozen=True):
    """A check of whole packages, by the surveys of the steps into some targets.

    ``judge`` returns a sentence for each objection.
    """

    targets: frozenset[str]
    judge: Callable[[Sequence[Survey]], Iterable[str]]


class Surveyor:
    """The surveys of a package's steps, with a few queries per window."""

    def __init__(
        self,
        source: BinaryIO,
        targets: Targets,
        memory: Memory,
        resolver: Resolver,
        header: Header,
    ) -> None:
        self._source = source
        self._targets = targets
        self._memory = memory
        self._resolver = resolver
        self._header = header

    def objections(
        self, checks: Iterable[PackageCheck], windows: Callable[[Step], Iterable[range]]
    ) -> list[str]:
        """Return the objections of the checks; each step is surveyed at most once."""
        made: dict[int, Survey] = {}
        sentences: list[str] = []
        for check in checks:
            steps = [s for s in self._memory.steps if s.target in check.targets]
            for step in steps:
                if step.index not in made:
                    made[step.index] = self._survey(step, windows(step))
            surveys = [made[step.index] for step in steps]
            sentences += check.judge(surveys) if surveys else ()
        return sentences

    def _survey(self, step: Step, windows: Iterable[range]) -> Survey:
        target, new, most = self._targets[step.target], 0, (0, -1)
        for numbers in windows:
            entries = self._good(numbers)
            existing = locate_by_mark(target, self._memory, self._header, entries)
            unmarked = [entry for entry in entries if entry.id not in existing]
            new += len(unmarked) - self._adopted(step, target, unmarked, numbers)
            brought = (
                *self._given(unmarked),
                *self._copied(target, unmarked, numbers),
                *self._grown(step, target, entries, existing),
            )
            most = max((most, *brought), key=lambda each: each[0])
        lines, number = most
        return Survey(step, new, lines, self._name(step, number) if lines else "")

    def _name(self, step: Step, number: int) -> str:
        """Return path and ``$id`` of an object."""
        path = paths.item_path(step.index, number - self._memory.first(step.index))
        return f"{path} ({self._memory.ids[number]})"

    def _good(self, numbers: range) -> list[Entry]:
        bad = self._memory.problems
        return [e for e in entries_of(self._memory, numbers) if e.number not in bad]

    def _adopted(
        self, step: Step, target: Target, unmarked: list[Entry], numbers: range
    ) -> int:
        """Return the number of unmarked rows that objects would adopt."""
        if not (step.match and unmarked):
            return 0
        window = Window(self._targets, Overlay())
        load_codes(window, self._targets, self._memory, numbers)
        contents = reread(self._source, self._memory, unmarked)
        own = self._header.package
        found = load_matches(window, self._resolver, target, step, contents, own=own)
        return len(found)

    def _given(self, unmarked: list[Entry]) -> Iterator[Brought]:
        """Yield the lines of new objects, or of the objects they are created from."""
        for entry in unmarked:
            yield self._memory.lines(entry.number), entry.number

    def _copied(
        self, target: Target, unmarked: list[Entry], numbers: range
    ) -> Iterator[Brought]:
        """Yield the lines of the stored rows that new objects are created from."""
        new = {entry.number for entry in unmarked} if target.spec.arrays else set()
        codes: dict[str, dict[str, int]] = {}
        for use in self._memory.code_uses(numbers):
            copied = use.path == SOURCE and use.number in new
            if copied and not self._memory.lines(use.number):
                codes.setdefault(use.to, {})[use.code] = use.number
        for to, wanted in codes.items():
            source = self._targets[to]
            found = source.live(source.spec.code, [*wanted])
            lines = source.lines([row_id for _, row_id in found])
            for code, row_id in found:
                yield lines.get(row_id, 0), wanted[code]

    def _grown(
        self,
        step: Step,
        target: Target,
        entries: list[Entry],
        existing: dict[str, ExistingRow],
    ) -> Iterator[Brought]:
        """Yield the lines of objects whose rows have fewer so far."""
        given: dict[int, Brought] = {}
        for entry in entries:
            row, lines = existing.get(entry.id), self._memory.lines(entry.number)
            if row is not None and lines:
                decision = decide(row, entry.source_hash, step.policy)
                if decision.action in _WITH_VALUES:
                    given[row.row_id] = lines, entry.number
        had = target.lines(list(given))
        for row_id, (lines, number) in given.items():
            if lines > had.get(row_id, 0):
                yield lines, number
