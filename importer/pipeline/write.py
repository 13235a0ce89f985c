"""Carry out a decision through the target, or only prepare it in a dry run."""

from __future__ import annotations

from typing import Any

import msgspec

from importer.package.shapes import Header, Mark, Outcome, Step
from importer.pipeline.decide import Action, Decision
from importer.pipeline.memory import Memory
from importer.pipeline.overlay import Overlay
from importer.pipeline.ports import Stale, Target, Write
from importer.pipeline.values import Entry, Sighting
from importer.pipeline.window import Window


class Written(msgspec.Struct, frozen=True):
    """Hold what was written or planned: the key (negative if planned), the changes."""

    row_id: int
    changes: dict[str, list[Any]] | None


_WITH_CHANGES = (Outcome.UPDATED, Outcome.ADOPTED, Outcome.RESTORED)
_WITH_VALUES = (Action.CREATE, Action.VALUES, Action.RESTORE_VALUES)
_LONGEST = 200


class Writer:
    """Write the objects of a run, in dry runs up to the point of writing."""

    def __init__(
        self, header: Header, memory: Memory, overlay: Overlay, *, dry_run: bool
    ) -> None:
        self._origin = header.origin.stored
        self._source = header.package
        self._memory = memory
        self._overlay = overlay
        self._dry_run = dry_run
        self._named_codes = memory.named_codes()

    def write(
        self,
        step: Step,
        target: Target,
        window: Window,
        entry: Entry,
        seen: Sighting | None,
        decision: Decision,
        values: dict[str, Any],
        user: Any,
    ) -> Written:
        """Carry out one decision; ObjectError if refused, Stale if the row moved on."""
        action = decision.action
        row = None if seen is None else window.row(step.target, seen.row_id)
        if seen is not None and row is None:
            raise Stale
        order = Write(
            values=values if action in _WITH_VALUES else None,
            user=user,
            row=row,
            version=None if seen is None else seen.version,
            restore=action in (Action.RESTORE, Action.RESTORE_VALUES),
            planned_id=-1 - entry.number,
        )
        prepared = target.prepare(order, window)
        if self._dry_run:
            row_id = order.planned_id if seen is None else seen.row_id
        else:
            row_id = target.commit(prepared, self._mark(entry, seen, action))
        self._remember(step, target, entry, seen, row_id, prepared.row)
        changes = prepared.changes if decision.outcome in _WITH_CHANGES else None
        return Written(row_id, _cut(changes))

    def _mark(self, entry: Entry, seen: Sighting | None, action: Action) -> Mark:
        # A row that is undeleted only keeps the hash of what it holds (OPEN-14).
        kept = seen is not None and action is Action.RESTORE
        source_hash = seen.source_hash if kept and seen else entry.source_hash
        return Mark(self._origin, self._source, entry.id, source_hash)

    def _remember(
        self,
        step: Step,
        target: Target,
        entry: Entry,
        seen: Sighting | None,
        row_id: int,
        row: Any,
    ) -> None:
        spec = target.spec
        self._memory.set_row(entry.number, row_id)
        names = spec.unique if spec.code in spec.unique else (*spec.unique, spec.code)
        names = tuple(name for name in names if name)
        values = list(zip(names, target.row_values(row, names), strict=True))
        # A dry run goes on to the end: it keeps only rows a later object names.
        keep = not self._dry_run or self._memory.named(entry.number)
        if not keep and self._named_codes:
            keep = (step.target, dict(values).get(spec.code)) in self._named_codes
        self._overlay.note(
            step.target,
            row_id,
            values,
            existed=seen is not None,
            row=row if keep else None,
        )


def _cut(changes: dict[str, list[Any]] | None) -> dict[str, list[Any]] | None:
    """Cut long texts, which a report need not repeat (OPEN-37)."""
    if changes is None:
        return None
    return {name: [_short(v) for v in pair] for name, pair in changes.items()}


def _short(value: Any) -> Any:
    if isinstance(value, str) and len(value) > _LONGEST:
        return value[:_LONGEST] + "…"
    return value
