"""The import of one window: locate, decide, reread, load; then object by object."""

from __future__ import annotations

from collections.abc import Mapping

from importer.package.item_result import LastChange
from importer.package.shapes import Step
from importer.package.step_policies import Execute, OnUserModified
from importer.pipeline import load
from importer.pipeline.actor import Actor
from importer.pipeline.batch import Batch
from importer.pipeline.decide import UNCHANGED, Action, Decision, decide, may_keep
from importer.pipeline.locate import NotLoaded, entries_of, locate_by_mark
from importer.pipeline.memory import CodeUse
from importer.pipeline.object_importer import ObjectImporter
from importer.pipeline.overlay import Overlay
from importer.pipeline.ports import Stale, Target
from importer.pipeline.reread import reread
from importer.pipeline.resolve import Resolver
from importer.pipeline.results import ResultRecorder
from importer.pipeline.run_input import RunInput
from importer.pipeline.source_copies import SourceCopies
from importer.pipeline.values import Entry, ExistingRow, ObjectContent
from importer.pipeline.window import Window


class WindowImporter:
    """The importer of a package's windows of up to a thousand objects."""

    def __init__(self, run: RunInput, results: ResultRecorder) -> None:
        self._run = run
        self._results = results
        self._actor = Actor(run.user, run.refresh)
        self._overlay = Overlay(dry_run=run.settings.dry_run)
        self._resolver = Resolver(run.targets, run.memory, run.moment)
        self._objects = ObjectImporter(
            run, results, self._actor, self._overlay, self._resolver
        )

    def import_window(self, step: Step, numbers: range) -> bool:
        """Import or plan the objects of a window; return False if the run stops
        there."""
        if step.policy.execute is Execute.ONCE:
            self._note_tokens(step, numbers)
        done = self._import(step, numbers)
        if not self._run.settings.dry_run:
            self._overlay.clear()
        return done

    def finish_step(self, step: Step) -> None:
        """Report the warnings of a step."""
        self._results.warnings.report(step)

    def _import(self, step: Step, numbers: range, *, retried: bool = False) -> bool:
        run = self._run
        batch = self._batch(step, numbers, retried=retried)
        unchanged: list[Entry] = []
        for entry in batch.entries:
            if batch.is_unchanged(entry):
                unchanged.append(entry)
                continue
            if unchanged:
                self._results.unchanged(step, unchanged, batch.existing)
                unchanged = []
            alone = range(entry.number, entry.number + 1)
            try:
                self._objects.import_object(batch, entry)
            except NotLoaded:
                self._import(step, alone)
            except Stale:
                self._import(step, alone, retried=True)
            if run.settings.stops_at_errors and run.memory.failed(entry.number):
                return False
        if unchanged:
            self._results.unchanged(step, unchanged, batch.existing)
        return True

    def _batch(self, step: Step, numbers: range, *, retried: bool) -> Batch:
        """Locate the objects of a window, decide on them and load what they need."""
        run, target = self._run, self._run.targets[step.target]
        entries = entries_of(run.memory, numbers)
        existing = locate_by_mark(
            target,
            run.memory,
            run.header,
            entries,
            renames=not run.settings.dry_run,
        )
        if (chosen := run.settings.chosen) is not None:
            # The others are only located, because the chosen ones may refer to them.
            entries = [entry for entry in entries if entry.id in chosen]
        decisions = self._decisions(step, entries, existing)
        # Rows written by this run may be deleted by now; the database knows.
        fresh = retried and not run.settings.dry_run
        window = Window(run.targets, Overlay() if fresh else self._overlay)
        gone = load.load_codes(window, run.targets, run.memory, numbers)
        contents = self._contents(entries, decisions)
        codes_in_doubt = gone or contents or self._overlay.changed
        batch = Batch(
            step=step,
            target=target,
            entries=entries,
            existing=existing,
            decisions=decisions,
            contents=contents,
            code_uses=self._code_uses(numbers) if codes_in_doubt else {},
            window=window,
            copies=SourceCopies(step, target, window, run.moment),
            last_imported={},
            last_changes=self._last_changes(target, entries, decisions, existing),
            retried=retried,
        )
        if contents:
            self._load(batch)
        return batch

    def _decisions(
        self, step: Step, entries: list[Entry], existing: dict[str, ExistingRow]
    ) -> dict[int, Decision]:
        """Decide on the valid objects, except those that may still match a row."""
        bad, decisions = self._run.memory.problems, {}
        for entry in entries:
            row = existing.get(entry.id)
            if entry.number not in bad and not (row is None and step.match):
                decisions[entry.number] = decide(row, entry.source_hash, step.policy)
        return decisions

    def _last_changes(
        self,
        target: Target,
        entries: list[Entry],
        decisions: dict[int, Decision],
        existing: dict[str, ExistingRow],
    ) -> Mapping[int, LastChange]:
        """Return who changed the rows last that may be kept for that, with one query."""
        changed = [n for n, one in decisions.items() if one is not UNCHANGED]
        if not (changed and existing):
            return {}
        ids = {entry.number: entry.id for entry in entries}
        rows = [(decisions[n], existing.get(ids[n])) for n in changed]
        kept = [
            row.row_id
            for decision, row in rows
            if row is not None and may_keep(decision, row)
        ]
        return target.last_changes(kept) if kept else {}

    def _contents(
        self, entries: list[Entry], decisions: dict[int, Decision]
    ) -> dict[int, ObjectContent]:
        """Read the valid objects again that need their content."""
        bad, needed = self._run.memory.problems, []
        for entry in entries:
            decision = decisions.get(entry.number)
            settled = decision is not None and decision.action is Action.NOTHING
            if not settled and entry.number not in bad:
                needed.append(entry)
        contents = reread(self._run.source, self._run.memory, needed)
        return {content.entry.number: content for content in contents}

    def _load(self, batch: Batch) -> None:
        """Load what the objects of a batch need."""
        # A right removed since the last window counts from here on.
        self._actor.refresh()
        step, target, window = batch.step, batch.target, batch.window
        existing, contents = batch.existing, list(batch.contents.values())
        load.load_rows(
            window,
            self._resolver,
            step,
            target.spec,
            contents=contents,
            existing=existing,
        )
        copies = batch.copies.make(self._resolver, contents, self._actor.user)
        load.load_named(window, target, copies)
        marked = [content for content in contents if content.entry.id in existing]
        rows = [existing[content.entry.id] for content in marked]
        held = [row.row_id for row in rows if step.submit or row.deleted]
        if step.match:
            unmarked = [one for one in contents if one.entry.id not in existing]
            own = self._run.header.package
            found = load.load_matches(
                window, self._resolver, target, step, unmarked, own=own
            )
            held += found if step.submit else []
        load.load_held(window, target, held)
        self._load_last_imported(batch)
        load.load_unique(
            window, self._resolver, target, step, contents, existing=existing
        )
        if self._run.settings.dry_run and target.spec.submitted:
            self._objects.load_simulation(batch)

    def _load_last_imported(self, batch: Batch) -> None:
        """Load what users changed in the rows that are merged."""
        if batch.step.policy.on_user_modified is not OnUserModified.MERGE:
            return
        rows = []
        for content in batch.contents.values():
            decision = batch.decisions.get(content.entry.number)
            if decision is not None and decision.action is Action.MERGE:
                row_id = batch.existing[content.entry.id].row_id
                rows.append(batch.window.row(batch.step.target, row_id))
        found = [row for row in rows if row is not None]
        if found:
            batch.last_imported.update(batch.target.last_imported(found))

    def _code_uses(self, numbers: range) -> dict[int, list[CodeUse]]:
        """Return every ``$code`` of a window, by the number of its object."""
        uses: dict[int, list[CodeUse]] = {}
        for use in self._run.memory.code_uses(numbers):
            uses.setdefault(use.number, []).append(use)
        return uses

    def _note_tokens(self, step: Step, numbers: range) -> None:
        """Note the date tokens of a window; already executed objects have no
        content."""
        memory = self._run.memory
        entries = entries_of(memory, numbers)
        good = [entry for entry in entries if entry.number not in memory.problems]
        for content in reread(self._run.source, memory, good):
            self._results.warnings.note_token(step, content)
