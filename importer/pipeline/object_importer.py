"""The import of one object: resolve, match, decide, write, record.

Errors of an object are caught only here and become ``Failed``.
"""

from __future__ import annotations

from typing import Any

from importer.package.shapes import ObjectError, Outcome, Problem
from importer.package.translation import gettext as _
from importer.pipeline.actor import Actor
from importer.pipeline.batch import Batch
from importer.pipeline.code_suggestions import CodeSuggestions
from importer.pipeline.decide import KEEP_USERS, SETTLED, Action, Decision, decide
from importer.pipeline.locate import NotLoaded, locate_by_match, match_key
from importer.pipeline.merge import Changes
from importer.pipeline.overlay import Overlay
from importer.pipeline.plan import NotPlanned
from importer.pipeline.ports import Stale, StaleReference
from importer.pipeline.remedies import Remedies
from importer.pipeline.resolve import Resolver
from importer.pipeline.results import ResultRecorder
from importer.pipeline.run_input import RunInput
from importer.pipeline.values import Entry, ExistingRow, ObjectContent
from importer.pipeline.write import WITH_VALUES, ObjectWrite, Writer


class ObjectImporter:
    """The importer of a package's objects, one after the other."""

    def __init__(
        self,
        run: RunInput,
        results: ResultRecorder,
        actor: Actor,
        overlay: Overlay,
        resolver: Resolver,
    ) -> None:
        header = run.header
        self._run = run
        self._results = results
        self._actor = actor
        self._overlay = overlay
        self._resolver = resolver
        suggestions = CodeSuggestions(run.targets, actor)
        self._remedies = Remedies(run.memory, header.package, suggestions)
        self._writer = Writer(header, run.memory, overlay, run.references, run.settings)

    def load_simulation(self, batch: Batch) -> None:
        """Let the target load what it needs to simulate the writes of a batch."""
        orders = []
        for number, content in batch.contents.items():
            decision = batch.decisions.get(number)
            if decision is None or decision.action not in SETTLED:
                try:
                    orders.append(self._order(batch, content, decision))
                except (ObjectError, NotLoaded, Stale):
                    continue  # found again when this object is imported
        self._writer.load_simulation(
            batch.target, orders, batch.window, self._actor.user
        )

    def import_object(self, batch: Batch, entry: Entry) -> None:
        """Import one object and record its result.

        Raise Stale if somebody else changed its row after the window was loaded, and
        NotLoaded if it needs rows that weren't loaded; the window is then loaded again.
        """
        problems = self._run.memory.problems.get(entry.number)
        decision = batch.decisions.get(entry.number)
        if problems is not None:
            name = batch.name_of(entry)
            self._results.failed(batch.step, entry, problems, name)
            return
        try:
            if decision is not None and decision.action in SETTLED:
                self._keep(batch, entry, decision)
            else:
                self._run.settings.stop_if_cancelled()
                self._run.settings.yield_to_requests()
                self._write(batch, batch.contents[entry.number], decision)
        except Stale:
            if not batch.retried:
                raise
            reason = _("somebody else is changing this row; run the package again")
            moved = Problem("", reason, "changed-meanwhile")
            self._results.failed(batch.step, entry, [moved], batch.name_of(entry))

    def _keep(self, batch: Batch, entry: Entry, decision: Decision) -> None:
        """Keep a row and record its differences if a user changed it."""
        existing, content = batch.existing[entry.id], batch.contents.get(entry.number)
        if decision.outcome is Outcome.UNCHANGED:
            self._results.unchanged(batch.step, [entry], batch.existing)
        else:
            differences = None
            if content is not None:
                differences = self._differences(batch, content, existing, decision)
            row = batch.kept_row(existing, differences)
            self._results.kept(batch.step, entry, decision, row)
        self._results.warnings.note_unsubmitted(batch.step, existing, decision)
        self._warn_of_missing_codes(batch, entry)

    def _differences(
        self,
        batch: Batch,
        content: ObjectContent,
        existing: ExistingRow,
        decision: Decision,
    ) -> Changes | None:
        """Return how a row differs from its object, None for invalid values."""
        try:
            values = self._values(batch, content)
        except ObjectError:
            return None
        order = ObjectWrite(
            batch.step, batch.target, content.entry, existing, decision, values
        )
        return self._writer.compare(order, batch.window, self._actor.user)

    def _write(
        self, batch: Batch, content: ObjectContent, decision: Decision | None
    ) -> None:
        """Write or plan the row of an object."""
        step, entry = batch.step, content.entry
        existing = batch.existing.get(entry.id)
        try:
            self._actor.require()
            order = self._order(batch, content, decision)
            existing, decision = order.existing, order.decision
            if decision.action is Action.MERGE and existing is not None:
                self._merge(batch, order, existing)
                return
            written = self._writer.write(order, batch.window, self._actor.user)
        except StaleReference as refusal:
            if not batch.retried:
                raise Stale from None
            self._refuse(batch, content, refusal, found=existing is not None)
        except ObjectError as refusal:
            self._record_refusal(batch, content, refusal, existing)
        else:
            taken_from = "" if existing is None else existing.taken_from
            self._results.wrote(
                step, entry, decision.outcome, written, taken_from=taken_from
            )
            if self._run.settings.dry_run:
                self._warn_of_predicted_codes(batch, entry)
            self._results.warnings.note_unsubmitted(step, existing, decision)

    def _merge(self, batch: Batch, order: ObjectWrite, existing: ExistingRow) -> None:
        """Write what only the package has changed; record the rest as kept."""
        last = batch.last_imported.get(existing.row_id)
        merged = self._writer.merge(order, last, batch.window, self._actor.user)
        step, entry, written = batch.step, order.entry, merged.written
        conflicts = merged.conflicts or None
        if written is None:
            row = batch.kept_row(existing, merged.differences, conflicts)
            self._results.kept(step, entry, KEEP_USERS, row)
            self._results.warnings.note_unsubmitted(step, existing, KEEP_USERS)
        else:
            outcome = order.decision.outcome
            self._results.wrote(step, entry, outcome, written, conflicts=conflicts)
        if self._run.settings.dry_run:
            self._warn_of_predicted_codes(batch, entry)

    def _record_refusal(
        self,
        batch: Batch,
        content: ObjectContent,
        refusal: ObjectError,
        existing: ExistingRow | None,
    ) -> None:
        """Record a refused object; a row that a user changed since the dry run is
        kept."""
        moved = isinstance(refusal, NotPlanned)
        if moved and existing is not None and existing.user_modified:
            row = batch.kept_row(existing)
            self._results.moved(batch.step, content.entry, str(refusal), row)
            return
        cause = self._actor.cause(refusal)
        self._refuse(batch, content, cause, found=existing is not None)

    def _order(
        self, batch: Batch, content: ObjectContent, decision: Decision | None
    ) -> ObjectWrite:
        """Return the write of an object; without a decision, look for a match first."""
        step, entry = batch.step, content.entry
        existing = batch.existing.get(entry.id)
        values: dict[str, Any] = {}
        if decision is None:
            values = self._values(batch, content)
            existing = self._match(batch, values)
            decision = decide(existing, entry.source_hash, step.policy)
        elif decision.action in WITH_VALUES:
            values = self._values(batch, content)
        return ObjectWrite(step, batch.target, entry, existing, decision, values)

    def _values(self, batch: Batch, content: ObjectContent) -> dict[str, Any]:
        """Return the values that an object gives its row."""
        values = self._resolver.values(batch.step, content.item, batch.window)
        return batch.copies.with_copy(values, self._actor.user)

    def _match(self, batch: Batch, values: dict[str, Any]) -> ExistingRow | None:
        """Return the unmarked row with an object's match properties."""
        match = batch.step.match
        key = match_key(batch.target, match, values)
        if key is None:
            return None
        return locate_by_match(batch.target, batch.window, match, key)

    def _refuse(
        self, batch: Batch, content: ObjectContent, refusal: ObjectError, *, found: bool
    ) -> None:
        """Record why an object failed, with remedies."""
        step, window = batch.step, batch.window
        problems = [
            self._remedies.completed(problem, step, content, window, found=found)
            for problem in refusal.problems
        ]
        name = batch.name_of(content.entry)
        self._results.failed(step, content.entry, problems, name)

    def _warn_of_predicted_codes(self, batch: Batch, entry: Entry) -> None:
        """Warn of codes of an object that the real run will draw (OPEN-29)."""
        for use in batch.code_uses.get(entry.number, ()):
            if self._overlay.is_predicted(use.to, use.code):
                self._results.predicted_code(batch.step, entry, use)

    def _warn_of_missing_codes(self, batch: Batch, entry: Entry) -> None:
        """Warn of codes of a settled object that no row has any more."""
        for use in batch.code_uses.get(entry.number, ()):
            code = self._run.targets[use.to].spec.code
            if not batch.window.holders(use.to, code, use.code):
                self._results.missing_code(batch.step, entry, use)
