"""The write of a decision through the target; a dry run only prepares it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec
from msgspec.structs import replace

from importer.package.shapes import Header, Mark, ObjectError, Outcome, Step
from importer.pipeline.decide import Action, Decision
from importer.pipeline.memory import Memory
from importer.pipeline.merge import Changes, merge
from importer.pipeline.overlay import Overlay
from importer.pipeline.plan import NotPlanned, Seals
from importer.pipeline.planned_references import PlannedReferences
from importer.pipeline.ports import Prepared, RowLookup, Stale, Target, Write
from importer.pipeline.run_settings import RunSettings
from importer.pipeline.shown_changes import shown_changes
from importer.pipeline.values import Entry, ExistingRow
from importer.pipeline.window import Window

_WITH_CHANGES = (Outcome.UPDATED, Outcome.ADOPTED, Outcome.RESTORED)
WITH_VALUES = (
    Action.CREATE,
    Action.VALUES,
    Action.MERGE,
    Action.RESTORE_VALUES,
    Action.COMPARE,
)
_RESTORING = (Action.RESTORE, Action.RESTORE_VALUES)


class ObjectWrite(msgspec.Struct, frozen=True):
    """One object with its decision and everything that a write needs."""

    step: Step
    target: Target
    entry: Entry
    existing: ExistingRow | None
    decision: Decision
    values: dict[str, Any]


class Written(msgspec.Struct, frozen=True):
    """The changes of a write in an existing row; ``idle`` if there were none.

    ``seal`` identifies a planned write, ``message`` is what a dry run says about it,
    ``name`` what people call the row.
    """

    changes: Changes | None
    idle: bool
    seal: str = ""
    message: str = ""
    name: str = ""


class Merged(msgspec.Struct, frozen=True):
    """What was written of an object, if anything, and what the row keeps: its other
    differences ``{property: [here, package]}``, among them the conflicts."""

    written: Written | None
    differences: Changes
    conflicts: Changes


class Writer:
    """The writer of a run's objects; in a dry run it only prepares writes."""

    def __init__(
        self,
        header: Header,
        memory: Memory,
        overlay: Overlay,
        references: PlannedReferences,
        settings: RunSettings,
    ) -> None:
        self._origin = header.origin.stored
        self._source = header.package
        self._memory = memory
        self._overlay = overlay
        self._references = references
        self._dry_run = settings.dry_run
        self._plan = settings.plan
        # In conflicts, because somebody has decided so.
        self._package_wins = settings.chosen is not None
        # Only a plan needs seals.
        self._seals = Seals() if self._dry_run or self._plan is not None else None
        self._named_codes = memory.named_codes()

    def write(self, order: ObjectWrite, window: Window, user: Any) -> Written:
        """Carry out a decision and return the changes in an existing row.

        Raise ObjectError if the target refuses it, Stale if the row has changed, and
        NotPlanned if the run carries out a plan with another write.
        """
        write = self._write(order, window, user)
        prepared = order.target.prepare(write, window.lookup)
        return self._commit(order, write, prepared, self._mark(order), window)

    def _commit(
        self,
        order: ObjectWrite,
        write: Write,
        prepared: Prepared,
        mark: Mark,
        window: Window,
    ) -> Written:
        """Commit a prepared write, or in a dry run only simulate it."""
        existing, seal, message = order.existing, self._seal(order, prepared), ""
        if self._dry_run:
            message = self._simulate(order, prepared, window.lookup)
            row_id = write.planned_id if existing is None else existing.row_id
            if self._references.targets:
                self._note_references(order, row_id, write.row, prepared.row)
        else:
            row_id = order.target.commit(prepared, mark)
        self._remember(order, row_id, write.row, prepared.row)
        shows = order.decision.outcome in _WITH_CHANGES
        changes = shown_changes(prepared.changes) if shows else None
        seal = seal if self._dry_run else ""
        name = order.target.name_of(prepared.row)
        return Written(changes, prepared.idle, seal, message, name)

    def _seal(self, order: ObjectWrite, prepared: Prepared) -> str:
        """Return the seal of a write; raise NotPlanned if the plan has another one."""
        if self._seals is None:
            return ""
        existing, fields = order.existing, order.target.spec.fields
        version = None if existing is None else existing.version
        seal = self._seals.seal(fields, version, order.values, prepared.changes)
        if self._plan is not None:
            planned = self._plan.of(order.entry.number)
            if (planned.outcome, planned.seal) != (order.decision.outcome, seal):
                raise NotPlanned
        return seal

    def merge(
        self,
        order: ObjectWrite,
        last: Mapping[str, Any] | None,
        window: Window,
        user: Any,
    ) -> Merged:
        """Write what only the package has changed, given what the engine wrote last.

        Raise ObjectError if the target refuses it, Stale if the row has changed, and
        NotPlanned as ``write`` does. While there are conflicts, the mark keeps its
        hash, so that the next run reports them again. It always keeps the time of the
        import: the row still has values of a user.
        """
        write, target = self._write(order, window, user), order.target
        whole = target.prepare(write, window.lookup)
        merged = merge(whole.changes, last, package_wins=self._package_wins)
        written = None
        if merged.taken:
            values = {n: v for n, v in order.values.items() if n in merged.taken}
            submit = write.submit and target.spec.submitted in merged.taken
            part = replace(write, values=values, submit=submit)
            prepared = target.prepare(part, window.lookup)
            mark = replace(self._mark(order), keeps_time=True)
            if merged.conflicts and order.existing is not None:
                mark = replace(mark, source_hash=order.existing.source_hash)
            written = self._commit(order, part, prepared, mark, window)
        elif not merged.conflicts and self._renews(order):
            target.renew(whole, order.entry.source_hash)
        left = {n: p for n, p in whole.changes.items() if n not in merged.taken}
        return Merged(written, shown_changes(left), shown_changes(merged.conflicts))

    def load_simulation(
        self, target: Target, orders: Iterable[ObjectWrite], window: Window, user: Any
    ) -> None:
        """Let a target load what it needs to simulate the writes of a window."""
        writes = []
        for order in orders:
            try:
                writes.append(self._write(order, window, user))
            except Stale:
                continue  # found again when this object is imported
        target.load_simulation(writes, window.lookup)

    def _simulate(
        self, order: ObjectWrite, prepared: Prepared, lookup: RowLookup
    ) -> str:
        """Let the target simulate a write, and note a code that it would draw."""
        target = order.target
        code = target.spec.code if order.existing is None else ""
        if not code:
            return target.simulate(prepared, lookup)
        before = target.row_values(prepared.row, [code])
        message = target.simulate(prepared, lookup)
        after = target.row_values(prepared.row, [code])
        if after != before:
            self._overlay.note_predicted(target.spec.name, *after)
        return message

    def compare(self, order: ObjectWrite, window: Window, user: Any) -> Changes | None:
        """Return ``{property: [here, package]}`` of a row that a user changed.

        Return None if the package's values could not be written; raise Stale if the row
        changed. Without differences only the hash of the mark is updated, so that later
        changes in the package still find a row that a user changed.
        """
        write = self._write(order, window, user)
        try:
            prepared = order.target.prepare(write, window.lookup)
        except ObjectError:
            return None
        if prepared.idle and self._renews(order):
            order.target.renew(prepared, order.entry.source_hash)
        return shown_changes(prepared.changes)

    def _renews(self, order: ObjectWrite) -> bool:
        """Return whether the run may renew the mark of a kept row."""
        if self._dry_run or self._plan is None:
            return not self._dry_run
        planned = self._plan.of(order.entry.number)
        return planned.outcome is Outcome.SKIPPED_USER_MODIFIED

    def _write(self, order: ObjectWrite, window: Window, user: Any) -> Write:
        existing, action = order.existing, order.decision.action
        row = None
        if existing is not None:
            row = window.row(order.step.target, existing.row_id)
        if existing is not None and row is None:
            raise Stale
        return Write(
            values=order.values if action in WITH_VALUES else None,
            user=user,
            row=row,
            version=None if existing is None else existing.version,
            restore=action in _RESTORING,
            planned_id=-1 - order.entry.number,
            submit=order.step.submit and action is not Action.MARK,
        )

    def _mark(self, order: ObjectWrite) -> Mark:
        entry, existing = order.entry, order.existing
        source_hash = entry.source_hash
        if existing is not None and order.decision.action is Action.RESTORE:
            # If it is only restored, the row keeps its values (OPEN-14).
            source_hash = existing.source_hash
        return Mark(self._origin, self._source, entry.id, source_hash)

    def _remember(self, order: ObjectWrite, row_id: int, before: Any, row: Any) -> None:
        """Note the row, its code and its unique values for later objects."""
        spec, entry = order.target.spec, order.entry
        self._memory.set_row(entry.number, row_id)
        names = spec.looked_up
        values = list(zip(names, order.target.row_values(row, names), strict=True))
        # A dry run keeps rows to its end, but only those that a later object names, or
        # finds as the reference of another row.
        keep = not self._dry_run or self._referred(order, values)
        keep = keep or order.decision.action in _RESTORING
        keep = keep or self._moved(order, before, row)
        inserted = order.existing is None and self._plan is not None
        if inserted and self._seals is not None and self._referred(order, values):
            self._seals.note_inserted(spec.name, row_id)
        self._overlay.note(
            spec.name,
            row_id,
            values,
            existed=order.existing is not None,
            row=row if keep else None,
            number=entry.number,
        )

    def _note_references(
        self, order: ObjectWrite, row_id: int, before: Any, row: Any
    ) -> None:
        """Note which references a planned write would change."""
        target, existing = order.target, order.existing
        live = existing is not None and not existing.deleted
        held = target.named_by(before) if live else ()
        place = (order.step.target, row_id)
        self._references.note(place, held, target.named_by(row))

    def _referred(self, order: ObjectWrite, values: list[tuple[str, Any]]) -> bool:
        """Return whether a later object may refer to the row of this one."""
        if self._memory.named(order.entry.number):
            return True
        spec, codes = order.target.spec, self._named_codes
        return bool(codes) and (spec.name, dict(values).get(spec.code)) in codes

    def _moved(self, order: ObjectWrite, before: Any, row: Any) -> bool:
        """Return whether an existing row has moved in its tree."""
        target = order.target
        if before is None or not target.spec.chain:
            return False
        return target.chain(before) != target.chain(row)
