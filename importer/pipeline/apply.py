"""Take the objects of one window from their marks to their results.

Per window: locate, visit, load; per object: resolve, match, decide, write, tell. One
object's trouble is caught in one place and becomes ``Failed``.
"""

from __future__ import annotations

from typing import Any, BinaryIO

import msgspec

from importer.package.shapes import (
    Execute,
    Header,
    ObjectError,
    Problem,
    Step,
)
from importer.package.tokens import Moment
from importer.package.words import gettext as _
from importer.pipeline import load
from importer.pipeline.actor import Actor
from importer.pipeline.copies import Copies
from importer.pipeline.decide import Action, Decision, decide
from importer.pipeline.locate import (
    Unforeseen,
    entries_of,
    locate_by_mark,
    locate_by_match,
    match_key,
)
from importer.pipeline.meant import MeantCodes
from importer.pipeline.memory import CodeUse, Memory
from importer.pipeline.overlay import Overlay
from importer.pipeline.ports import (
    RefreshUser,
    Stale,
    StaleReference,
    Target,
    Targets,
)
from importer.pipeline.remedies import Remedies
from importer.pipeline.resolve import Resolver
from importer.pipeline.settings import Settings
from importer.pipeline.tell import Teller
from importer.pipeline.values import Entry, Sighting, Visited
from importer.pipeline.visit import visit
from importer.pipeline.window import Window
from importer.pipeline.write import WITH_VALUES, Changes, Order, Writer


class Work(msgspec.Struct, frozen=True):
    """A checked package that is to be applied: where it lies, and how it is done."""

    source: BinaryIO
    targets: Targets
    memory: Memory
    settings: Settings
    header: Header
    moment: Moment


class View(msgspec.Struct, frozen=True):
    """Hold what the objects of one window are seen against."""

    step: Step
    target: Target
    window: Window
    seen: dict[str, Sighting]
    copies: Copies
    again: bool


class Applier:
    """The objects of one package on their way, window by window."""

    def __init__(
        self, work: Work, teller: Teller, user: Any, refresh: RefreshUser
    ) -> None:
        self._source, self._targets = work.source, work.targets
        self._memory, self._settings = work.memory, work.settings
        self._package, self._moment = work.header.package, work.moment
        self._teller, self._remarks = teller, teller.remarks
        self._actor = Actor(user, refresh)
        meant = MeantCodes(work.targets, self._actor)
        self._remedies = Remedies(work.memory, work.header.package, meant)
        self._overlay = Overlay()
        self._resolver = Resolver(work.targets, work.memory, work.moment)
        self._writer = Writer(
            work.header, work.memory, self._overlay, dry_run=work.settings.dry_run
        )

    def window(self, step: Step, numbers: range) -> bool:
        """Do up to a thousand objects of a step; False if the run shall stop."""
        if step.policy.execute is Execute.ONCE:
            self._read_tokens(step, numbers)
        going = self._window(step, numbers)
        if not self._settings.dry_run:
            self._overlay.clear()
        return going

    def finish(self, step: Step) -> None:
        """Say what the objects of a step have in common."""
        self._remarks.tell(step)

    def end(self) -> None:
        """Say how many writes a dry run could not judge to their end."""
        self._teller.not_judged(self._writer.only_planned)

    def _read_tokens(self, step: Step, numbers: range) -> None:
        """Read every object of a window, for what is executed already has no content."""
        entries = entries_of(self._memory, numbers)
        good = [e for e in entries if e.number not in self._memory.problems]
        for one in visit(self._source, self._memory, good):
            self._remarks.read(step, one)

    def _window(self, step: Step, numbers: range, *, again: bool = False) -> bool:
        """Do up to a thousand objects of a step; False if the run shall stop."""
        memory, target = self._memory, self._targets[step.target]
        entries = entries_of(memory, numbers)
        seen = locate_by_mark(target, memory, self._package, entries)
        # What this run wrote may be deleted by now; the database has all of it.
        fresh = again and not self._settings.dry_run
        window = Window(self._targets, Overlay() if fresh else self._overlay)
        missing = load.load_codes(window, self._targets, memory, numbers)
        settled, unsettled = self._sort(step, entries, seen)
        copies = Copies(step, target, window, self._moment)
        view = View(step, target, window, seen, copies, again)
        contents = self._contents(view, unsettled)
        doubtful = missing or contents or self._overlay.changed
        uses = self._uses_of(settled, numbers) if doubtful else {}
        for entry in entries:
            self._settings.stop_if_cancelled()
            number = entry.number
            decision = settled.get(number)
            if decision is not None:
                self._keep(view, entry, decision, contents.get(number))
                self._warn(view, entry, uses.get(number, []))
            elif number in memory.problems:
                self._teller.failed(step, entry, memory.problems[number])
            else:
                self._settings.give_way()
                self._object(view, contents[number])
            if self._settings.stops_at_errors and memory.failed(number):
                return False
        return True

    def _sort(
        self, step: Step, entries: list[Entry], seen: dict[str, Sighting]
    ) -> tuple[dict[int, Decision], list[Entry]]:
        """Part what is settled without its content from what must be visited."""
        settled: dict[int, Decision] = {}
        unsettled, bad = [], self._memory.problems
        for entry in entries:
            if entry.number in bad:
                continue
            sighting = seen.get(entry.id)
            if sighting is not None:
                decision = decide(sighting, entry.source_hash, step.policy)
                if decision.action in (Action.NOTHING, Action.COMPARE):
                    settled[entry.number] = decision
                if decision.action is Action.NOTHING:
                    continue
            unsettled.append(entry)
        return settled, unsettled

    def _contents(self, view: View, unsettled: list[Entry]) -> dict[int, Visited]:
        """Read the unsettled objects again and load what they will ask for."""
        if not unsettled:
            return {}
        # A right taken away meanwhile shall count from the next window on.
        self._actor.refresh()
        visited = visit(self._source, self._memory, unsettled)
        window, target, seen = view.window, view.target, view.seen
        load.load_rows(
            window, self._resolver, view.step, target.spec, visited=visited, seen=seen
        )
        copies = view.copies.foresee(self._resolver, visited, self._actor.user)
        load.load_named(window, target, copies)
        found = [s.row_id for v in visited if (s := seen.get(v.entry.id))]
        if view.step.match:
            unmarked = [one for one in visited if one.entry.id not in seen]
            found += load.load_matches(
                window, self._resolver, target, view.step, unmarked
            )
        load.load_held(window, target, view.step, found)
        load.load_unique(window, target, visited, seen)
        return {one.entry.number: one for one in visited}

    def _keep(
        self, view: View, entry: Entry, decision: Decision, one: Visited | None
    ) -> None:
        """Leave a row as it is; its content is at hand where a user changed it."""
        seen, differences = view.seen[entry.id], None
        if one is not None:
            try:
                differences = self._differences(view, one, seen, decision)
            except Stale:
                self._once_more(view, entry)
                return
        self._teller.kept(view.step, entry, decision, differences)
        self._remarks.kept(view.step, seen, decision)

    def _differences(
        self, view: View, one: Visited, seen: Sighting, decision: Decision
    ) -> Changes | None:
        """Put a row beside its object; None where the object's values are no row's."""
        try:
            values = self._values(view, one, seen)
        except ObjectError:
            return None
        order = Order(view.step, view.target, one.entry, seen, decision, values)
        return self._writer.compare(order, view.window, self._actor.user)

    def _once_more(self, view: View, entry: Entry) -> None:
        """Look anew at what somebody wrote meanwhile, and decide again; once."""
        if not view.again:
            number = entry.number
            self._window(view.step, range(number, number + 1), again=True)
            return
        reason = _("somebody else is changing this row; run the package again")
        moved = Problem("", reason, "changed-meanwhile")
        self._teller.failed(view.step, entry, [moved])

    def _refused(
        self, view: View, one: Visited, refusal: ObjectError, *, found: bool
    ) -> None:
        """Say why an object failed, and what can be done about it."""
        problems = [
            self._remedies.completed(problem, view.step, one, view.window, found=found)
            for problem in refusal.problems
        ]
        self._teller.failed(view.step, one.entry, problems)

    def _object(self, view: View, one: Visited) -> None:
        """Take one object from its content to its result."""
        step, target, window, entry = view.step, view.target, view.window, one.entry
        seen = view.seen.get(entry.id)
        try:
            self._actor.require()
            values = self._values(view, one, seen)
            if seen is None and step.match:
                key = match_key(target, step.match, values)
                if key is not None:
                    seen = locate_by_match(target, window, step.match, key)
            decision = decide(seen, entry.source_hash, step.policy)
            order = Order(step, target, entry, seen, decision, values)
            written = self._writer.write(order, window, self._actor.user)
        except StaleReference as overtaken:
            if view.again:
                self._refused(view, one, overtaken, found=seen is not None)
            else:
                self._once_more(view, entry)
        except ObjectError as refusal:
            self._refused(view, one, self._actor.cause(refusal), found=seen is not None)
        except Stale:
            self._once_more(view, entry)
        except Unforeseen:
            self._window(step, range(entry.number, entry.number + 1))
        else:
            self._teller.wrote(step, entry, decision.outcome, written)
            if self._settings.dry_run:
                self._warn_of_numbers(view, entry)
            self._remarks.kept(step, seen, decision)

    def _values(
        self, view: View, one: Visited, seen: Sighting | None
    ) -> dict[str, Any]:
        """Return the values an object gives its row, none where the row keeps its own."""
        if seen is not None:
            decision = decide(seen, one.entry.source_hash, view.step.policy)
            if decision.action not in WITH_VALUES:
                return {}
        values = self._resolver.values(view.step, one.item, view.window)
        return view.copies.completed(values, self._actor.user)

    def _uses_of(
        self, settled: dict[int, Decision], numbers: range
    ) -> dict[int, list[CodeUse]]:
        uses: dict[int, list[CodeUse]] = {}
        for use in self._memory.code_uses(numbers):
            if use.number in settled:
                uses.setdefault(use.number, []).append(use)
        return uses

    def _warn_of_numbers(self, view: View, entry: Entry) -> None:
        """Say which codes of an object are given only by the run itself (OPEN-29)."""
        for use in self._memory.code_uses(range(entry.number, entry.number + 1)):
            if self._overlay.is_foretold(use.to, use.code):
                self._teller.code_to_come(view.step, entry, use)

    def _warn(self, view: View, entry: Entry, uses: list[CodeUse]) -> None:
        for use in uses:
            code = self._targets[use.to].spec.code
            if not view.window.holders(use.to, code, use.code):
                self._teller.code_gone(view.step, entry, use)
