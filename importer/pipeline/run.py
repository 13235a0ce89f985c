"""Run a package through the stations: the only module that knows their order.

read, check -> per window: locate, visit, load -> per object: resolve, match, decide,
write -> result. One object's trouble is caught in one place and becomes ``Failed``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, BinaryIO

import msgspec

from importer.package import paths
from importer.package.catalogue import Catalogue
from importer.package.shapes import (
    Diagnostic,
    Header,
    ItemResult,
    ObjectError,
    Outcome,
    Problem,
    Severity,
    Step,
    error,
)
from importer.package.tokens import Moment
from importer.pipeline import load
from importer.pipeline.decide import Action, Decision, decide
from importer.pipeline.locate import (
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
from importer.pipeline.values import Entry, Sighting, Visited
from importer.pipeline.visit import visit
from importer.pipeline.window import Window
from importer.pipeline.write import Writer

WINDOW = 1000
Progress = Callable[[str, int, int | None], None]

_KEPT = {
    Outcome.UNCHANGED: "",
    Outcome.SKIPPED_USER_MODIFIED: "kept as a user changed it after the import",
    Outcome.SKIPPED_DRIFT: "kept: the object changed, and the step says onChange skip",
    Outcome.SKIPPED_DELETED: "kept deleted, as a user deleted it",
}
_MOVED = "somebody else is changing this row; run the package again"


class Cancelled(Exception):
    """Say that the run was asked to stop between two objects."""


class Settings(msgspec.Struct, frozen=True):
    """Hold how a run is to be done."""

    dry_run: bool
    continue_on_error: bool
    window: int = WINDOW


class Pipeline:
    """Take one package from bytes to results."""

    def __init__(
        self,
        source: BinaryIO,
        catalogue: Catalogue,
        targets: Targets,
        settings: Settings,
        gathering: Gathering,
        *,
        progress: Progress = lambda stage, done, total: None,
        cancelled: Callable[[], bool] = lambda: False,
    ) -> None:
        self._source = source
        self._catalogue = catalogue
        self._targets = targets
        self._settings = settings
        self._gathering = gathering
        self._progress = progress
        self._cancelled = cancelled
        self.memory = Memory()

    def read(self) -> Header:
        """Check the whole package and remember its objects; PackageError if bad."""
        reader = PackageReader(
            self._source, self._catalogue, self.memory, self._passed
        )
        header = reader.read()
        self._progress("checking", len(self.memory), len(self.memory))
        return header

    def _passed(self, count: int) -> None:
        self._progress("checking", count, None)
        self._stop_if_cancelled()

    def _stop_if_cancelled(self) -> None:
        if self._cancelled():
            raise Cancelled

    def refused(self) -> bool:
        """Report the objects the check refused, where they end the run (OPEN-35)."""
        settings, bad = self._settings, self.memory.problems
        if not bad or settings.continue_on_error or settings.dry_run:
            return False
        for number in sorted(bad):
            step = self.memory.steps[self.memory.step_of(number)]
            index = number - self.memory.first(step.index)
            entry = Entry(number, index, self.memory.ids[number], "")
            self._fail(step, entry, bad[number], diagnostic=True)
        return True

    def apply(
        self, header: Header, moment: Moment, user: Any, refresh: RefreshUser
    ) -> bool:
        """Write, or plan, every object; False if the run stopped at an error."""
        self._header = header
        self._refresh = refresh
        self._user = user
        self._overlay = Overlay()
        self._resolver = Resolver(self._targets, self.memory, moment)
        dry_run = self._settings.dry_run
        self._writer = Writer(header, self.memory, self._overlay, dry_run=dry_run)
        for step in self.memory.steps:
            span = self.memory.span(step.index)
            for start in range(span.start, span.stop, self._settings.window):
                end = min(start + self._settings.window, span.stop)
                going = self._window(step, range(start, end))
                if not dry_run:
                    self._overlay.clear()
                stage = "planning" if dry_run else "importing"
                self._progress(stage, self._gathering.done, len(self.memory))
                if not going:
                    return False
        return True

    def note_not_reached(self) -> None:
        """Say how many objects the run did not come to (OPEN-41)."""
        left = len(self.memory) - self._gathering.done
        if left > 0:
            message = f"{left:,} objects were not reached."
            note = Diagnostic(Severity.INFO, paths.WHOLE, message)
            self._gathering.say(note)

    def _window(self, step: Step, numbers: range, *, again: bool = False) -> bool:
        memory, target = self.memory, self._targets[step.target]
        entries = entries_of(memory, numbers)
        seen = locate_by_mark(target, memory, self._header.package, entries)
        window = Window(self._targets, self._overlay)
        missing = load.load_codes(window, self._targets, memory, numbers)
        settled: dict[int, Decision] = {}
        unsettled = []
        for entry in entries:
            sighting = seen.get(entry.id)
            if entry.number in memory.problems:
                continue
            if sighting is not None:
                decision = decide(sighting, entry.source_hash, step.policy)
                if decision.action is Action.NOTHING:
                    settled[entry.number] = decision
                    continue
            unsettled.append(entry)
        contents = self._load(step, target, window, unsettled, seen)
        doubtful = missing or self._overlay.changed
        uses = self._uses_of(settled, numbers) if doubtful or contents else {}
        for entry in entries:
            self._stop_if_cancelled()
            number = entry.number
            if number in settled:
                if uses:
                    self._warn(step, entry, window, uses.get(number, ()))
                self._keep(step, entry, settled[number], seen[entry.id])
            elif number in memory.problems:
                self._fail(step, entry, memory.problems[number], diagnostic=True)
            else:
                self._object(
                    step,
                    target,
                    window,
                    contents[number],
                    seen.get(entry.id),
                    again=again,
                )
            if memory.failed(number) and self._stops:
                return False
        return True

    @property
    def _stops(self) -> bool:
        return not (self._settings.continue_on_error or self._settings.dry_run)

    def _load(
        self,
        step: Step,
        target: Target,
        window: Window,
        unsettled: list[Entry],
        seen: dict[str, Sighting],
    ) -> dict[int, Visited]:
        if not unsettled:
            return {}
        # A right taken away meanwhile shall count from the next window on.
        self._user = self._refresh(self._user)
        visited = visit(self._source, self.memory, unsettled)
        load.load_rows(window, self._resolver, target, visited, seen)
        if step.match:
            unmarked = [one for one in visited if one.entry.id not in seen]
            load.load_matches(window, self._resolver, target, step, unmarked)
        load.load_unique(window, target, visited, seen)
        return {one.entry.number: one for one in visited}

    def _object(
        self,
        step: Step,
        target: Target,
        window: Window,
        one: Visited,
        seen: Sighting | None,
        *,
        again: bool,
    ) -> None:
        entry = one.entry
        try:
            values = self._resolver.values(target.spec, one.item, window)
            if seen is None and step.match:
                key = match_key(target, step.match, values)
                if key is not None:
                    seen = locate_by_match(target.spec, target, window, key)
            decision = decide(seen, entry.source_hash, step.policy)
            written = self._writer.write(
                step, target, window, entry, seen, decision, values, self._user
            )
        except ObjectError as refusal:
            self._fail(step, entry, refusal.problems, diagnostic=refusal.diagnostic)
        except Stale:
            if again:
                self._fail(step, entry, (Problem("", _MOVED),), diagnostic=False)
            else:
                # Somebody wrote the row since it was looked up: look and decide anew.
                number = entry.number
                self._window(step, range(number, number + 1), again=True)
        else:
            row_id = written.row_id if written.row_id > 0 else None
            self._add(step, entry, decision.outcome, "", row_id, written.changes)

    def _keep(
        self, step: Step, entry: Entry, decision: Decision, seen: Sighting
    ) -> None:
        outcome = decision.outcome
        self._add(step, entry, outcome, _KEPT[outcome], seen.row_id, None)

    def _fail(
        self,
        step: Step,
        entry: Entry,
        problems: tuple[Problem, ...],
        *,
        diagnostic: bool,
    ) -> None:
        base = paths.item_path(step.index, entry.index)
        found = [error(paths.inside(base, p.path), p.message) for p in problems]
        if diagnostic:
            for one in found:
                self._gathering.say(one)
        self.memory.fail(entry.number)
        known = self.memory.row_id(entry.number)
        row_id = known if known and known > 0 else None
        message = "; ".join(one.message for one in found)
        self._add(step, entry, Outcome.FAILED, message, row_id, None)

    def _add(
        self,
        step: Step,
        entry: Entry,
        outcome: Outcome,
        message: str,
        row_id: int | None,
        changes: dict[str, list[Any]] | None,
    ) -> None:
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
            )
        )

    def _uses_of(
        self, settled: dict[int, Decision], numbers: range
    ) -> dict[int, list[CodeUse]]:
        uses: dict[int, list[CodeUse]] = {}
        for use in self.memory.code_uses(numbers):
            if use.number in settled:
                uses.setdefault(use.number, []).append(use)
        return uses

    def _warn(
        self, step: Step, entry: Entry, window: Window, uses: list[CodeUse] | tuple[()]
    ) -> None:
        """Warn of a ``$code`` of a settled object that finds no row any more."""
        for use in uses:
            code = self._targets[use.to].spec.code
            if not window.holders(use.to, code, use.code):
                base = paths.item_path(step.index, entry.index)
                path = paths.inside(base, use.path)
                message = f'{path}: no row of {use.to} has the code "{use.code}"'
                self._gathering.say(Diagnostic(Severity.WARNING, path, message))
