"""Run a package through the stations: the only module that knows their order.

read, check, survey -> per window: locate, visit, load -> per object: resolve, match,
decide, write, tell. One object's trouble is caught in one place and becomes ``Failed``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, BinaryIO

import msgspec

from importer.package import paths
from importer.package.catalogue import Catalogue
from importer.package.shapes import (
    Header,
    ObjectError,
    PackageError,
    Problem,
    Step,
    error,
)
from importer.package.tokens import Moment
from importer.package.words import gettext as _
from importer.pipeline import load
from importer.pipeline.copies import Copies
from importer.pipeline.decide import Action, Decision, decide
from importer.pipeline.locate import (
    Unforeseen,
    entries_of,
    locate_by_mark,
    locate_by_match,
    match_key,
)
from importer.pipeline.memory import CodeUse, Memory
from importer.pipeline.overlay import Overlay
from importer.pipeline.ports import RefreshUser, Stale, Target, Targets
from importer.pipeline.read import PackageReader
from importer.pipeline.report import Gathering
from importer.pipeline.resolve import Resolver
from importer.pipeline.survey import PackageCheck, Surveyor
from importer.pipeline.tell import Teller
from importer.pipeline.values import Entry, Sighting, Visited
from importer.pipeline.visit import visit
from importer.pipeline.window import Window
from importer.pipeline.write import WITH_VALUES, Order, Writer

WINDOW = 1000
Progress = Callable[[str, int, int | None], None]


class Cancelled(Exception):
    """Say that the run was asked to stop between two objects."""


class Settings(msgspec.Struct, frozen=True):
    """Hold how a run is to be done, and how it speaks to the outside."""

    dry_run: bool
    continue_on_error: bool
    window: int = WINDOW
    progress: Progress = lambda stage, done, total: None
    cancelled: Callable[[], bool] = lambda: False
    give_way: Callable[[], None] = lambda: None
    checks: tuple[PackageCheck, ...] = ()


class View(msgspec.Struct, frozen=True):
    """Hold what the objects of one window are seen against."""

    step: Step
    target: Target
    window: Window
    seen: dict[str, Sighting]
    copies: Copies
    again: bool


class Pipeline:
    """Take one package from bytes to results."""

    def __init__(
        self,
        source: BinaryIO,
        catalogue: Catalogue,
        targets: Targets,
        settings: Settings,
        gathering: Gathering,
    ) -> None:
        self._source = source
        self._catalogue = catalogue
        self._targets = targets
        self._settings = settings
        self._gathering = gathering
        self.memory = Memory()
        self._teller = Teller(gathering, self.memory)

    def read(self, named: Callable[[Header], None]) -> Header:
        """Check all and remember the objects, `named` hearing which package it is."""
        source, catalogue = self._source, self._catalogue
        reader = PackageReader(source, catalogue, self.memory, self._passed, named)
        header = reader.read()
        self._settings.progress("checking", len(self.memory), len(self.memory))
        return header

    def _passed(self, count: int) -> None:
        self._settings.progress("checking", count, None)
        self._stop_if_cancelled()
        self._settings.give_way()

    def _stop_if_cancelled(self) -> None:
        if self._settings.cancelled():
            raise Cancelled

    def refused(self) -> bool:
        """Tell of the objects the check refused, where they end the run (OPEN-35)."""
        settings, bad = self._settings, self.memory.problems
        if not bad or settings.continue_on_error or settings.dry_run:
            return False
        for number in sorted(bad):
            step = self.memory.steps[self.memory.step_of(number)]
            index = number - self.memory.first(step.index)
            entry = Entry(number, index, self.memory.ids[number], "")
            self._teller.failed(step, entry, bad[number], diagnostic=True)
        return True

    def survey(self, header: Header, moment: Moment) -> None:
        """Put the package to the checks of other apps; PackageError if they object."""
        memory, targets = self.memory, self._targets
        resolver = Resolver(targets, memory, moment)
        surveyor = Surveyor(self._source, targets, memory, resolver, header.package)
        found = surveyor.objections(self._settings.checks, self._windows)
        if found:
            raise PackageError(*(error(paths.WHOLE, reason) for reason in found))

    def apply(
        self, header: Header, moment: Moment, user: Any, refresh: RefreshUser
    ) -> bool:
        """Write, or plan, every object; False if the run stopped at an error."""
        settings, memory = self._settings, self.memory
        self._package = header.package
        self._user, self._refresh, self._moment = user, refresh, moment
        self._overlay = Overlay()
        self._resolver = Resolver(self._targets, memory, moment)
        self._writer = Writer(header, memory, self._overlay, dry_run=settings.dry_run)
        stage = "planning" if settings.dry_run else "importing"
        for step in memory.steps:
            for numbers in self._windows(step):
                going = self._window(step, numbers)
                if not settings.dry_run:
                    self._overlay.clear()
                settings.progress(stage, self._gathering.done, len(memory))
                if not going:
                    return False
        self._teller.not_judged(self._writer.only_planned)
        return True

    def _windows(self, step: Step) -> Iterator[range]:
        """Yield the numbers of a step's objects, as many as one window takes."""
        span, size = self.memory.span(step.index), self._settings.window
        for start in range(span.start, span.stop, size):
            self._stop_if_cancelled()
            yield range(start, min(start + size, span.stop))

    def note_not_reached(self) -> None:
        """Say how many objects the run did not come to (OPEN-41)."""
        self._teller.not_reached(len(self.memory) - self._gathering.done)

    def _window(self, step: Step, numbers: range, *, again: bool = False) -> bool:
        """Do up to a thousand objects of a step; False if the run shall stop."""
        memory, target = self.memory, self._targets[step.target]
        entries = entries_of(memory, numbers)
        seen = locate_by_mark(target, memory, self._package, entries)
        window = Window(self._targets, self._overlay)
        missing = load.load_codes(window, self._targets, memory, numbers)
        settled, unsettled = self._sort(step, entries, seen)
        copies = Copies(step, target, window, self._moment)
        view = View(step, target, window, seen, copies, again)
        contents = self._contents(view, unsettled)
        doubtful = missing or contents or self._overlay.changed
        uses = self._uses_of(settled, numbers) if doubtful else {}
        for entry in entries:
            self._stop_if_cancelled()
            number = entry.number
            decision = settled.get(number)
            if decision is not None:
                if uses:
                    self._warn(view, entry, uses.get(number, []))
                self._teller.kept(step, entry, decision)
            elif number in memory.problems:
                self._teller.failed(
                    step, entry, memory.problems[number], diagnostic=True
                )
            else:
                self._settings.give_way()
                self._object(view, contents[number])
            if self._stops and memory.failed(number):
                return False
        return True

    @property
    def _stops(self) -> bool:
        return not (self._settings.continue_on_error or self._settings.dry_run)

    def _sort(
        self, step: Step, entries: list[Entry], seen: dict[str, Sighting]
    ) -> tuple[dict[int, Decision], list[Entry]]:
        """Part what is settled without its content from what must be visited."""
        settled: dict[int, Decision] = {}
        unsettled, bad = [], self.memory.problems
        for entry in entries:
            if entry.number in bad:
                continue
            sighting = seen.get(entry.id)
            if sighting is not None:
                decision = decide(sighting, entry.source_hash, step.policy)
                if decision.action is Action.NOTHING:
                    settled[entry.number] = decision
                    continue
            unsettled.append(entry)
        return settled, unsettled

    def _contents(self, view: View, unsettled: list[Entry]) -> dict[int, Visited]:
        """Read the unsettled objects again and load what they will ask for."""
        if not unsettled:
            return {}
        # A right taken away meanwhile shall count from the next window on.
        self._user = self._refresh(self._user)
        visited = visit(self._source, self.memory, unsettled)
        window, target, seen = view.window, view.target, view.seen
        load.load_rows(
            window, self._resolver, view.step, target.spec, visited=visited, seen=seen
        )
        copies = view.copies.foresee(self._resolver, visited, self._user)
        load.load_named(window, target, copies)
        if view.step.match:
            unmarked = [one for one in visited if one.entry.id not in seen]
            load.load_matches(window, self._resolver, target, view.step, unmarked)
        load.load_unique(window, target, visited, seen)
        return {one.entry.number: one for one in visited}

    def _object(self, view: View, one: Visited) -> None:
        """Take one object from its content to its result."""
        step, target, window, entry = view.step, view.target, view.window, one.entry
        seen = view.seen.get(entry.id)
        try:
            values = self._values(view, one, seen)
            if seen is None and step.match:
                key = match_key(target, step.match, values)
                if key is not None:
                    seen = locate_by_match(target, window, step.match, key)
            decision = decide(seen, entry.source_hash, step.policy)
            order = Order(step, target, entry, seen, decision, values)
            changes = self._writer.write(order, window, self._user)
        except ObjectError as refusal:
            self._teller.failed(
                step, entry, refusal.problems, diagnostic=refusal.diagnostic
            )
        except Unforeseen:
            self._window(step, range(entry.number, entry.number + 1))
        except Stale:
            if view.again:
                moved = Problem(
                    "", _("somebody else is changing this row; run the package again")
                )
                self._teller.failed(step, entry, [moved], diagnostic=False)
            else:
                # Somebody wrote the row since it was looked up: look, decide anew.
                number = entry.number
                self._window(step, range(number, number + 1), again=True)
        else:
            self._teller.wrote(step, entry, decision.outcome, changes)

    def _values(
        self, view: View, one: Visited, seen: Sighting | None
    ) -> dict[str, Any]:
        """Return the values an object gives its row, none where the row keeps its own."""
        if seen is not None:
            decision = decide(seen, one.entry.source_hash, view.step.policy)
            if decision.action not in WITH_VALUES:
                return {}
        values = self._resolver.values(view.step, one.item, view.window)
        return view.copies.completed(values, self._user)

    def _uses_of(
        self, settled: dict[int, Decision], numbers: range
    ) -> dict[int, list[CodeUse]]:
        uses: dict[int, list[CodeUse]] = {}
        for use in self.memory.code_uses(numbers):
            if use.number in settled:
                uses.setdefault(use.number, []).append(use)
        return uses

    def _warn(self, view: View, entry: Entry, uses: list[CodeUse]) -> None:
        for use in uses:
            code = self._targets[use.to].spec.code
            if not view.window.holders(use.to, code, use.code):
                self._teller.code_gone(view.step, entry, use)
