"""The plan of a run's deletions: which of the missing rows nothing else refers to, and
in which order they can be deleted."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

import msgspec

from importer.pipeline.planned_references import PlannedReferences, RowKey
from importer.pipeline.policies import MissingPolicy
from importer.pipeline.ports import Targets


class MissingRow(msgspec.Struct, frozen=True, eq=False):
    """A row whose object, with the id ``key``, the file no longer has."""

    policy: MissingPolicy
    key: str
    row_id: int
    version: int | None

    @property
    def place(self) -> RowKey:
        """Return the target and the key of the row."""
        return self.policy.target, self.row_id


class RemovalPlan:
    """Missing rows of all targets, of which those in use are kept.

    A row can be deleted when all rows that refer to it have been: children before their
    parents, whatever their targets.
    """

    def __init__(
        self, targets: Targets, planned: PlannedReferences, window: int
    ) -> None:
        self._targets = targets
        self._planned = planned
        self._window = window
        self._names = {target.model: name for name, target in targets.items()}
        self._rows: dict[RowKey, MissingRow] = {}
        self._used_by: dict[RowKey, set[type[Any]]] = {}
        # The missing rows that refer to a missing row, and the other way round.
        self._waits_for: dict[RowKey, set[RowKey]] = {}
        self._refers_to: dict[RowKey, list[RowKey]] = {}

    def __len__(self) -> int:
        return len(self._rows)

    def add(self, missing: MissingRow) -> None:
        """Add a row that should be deleted."""
        self._rows[missing.place] = missing

    def removals(self, checked: Callable[[], None]) -> list[MissingRow]:
        """Return the rows that can be deleted, in order; ``checked`` is called after
        each window."""
        for name in {target: None for target, _row_id in self._rows}:
            ids = (row_id for target, row_id in self._rows if target == name)
            while window := tuple(islice(ids, self._window)):
                self._find_users(name, window)
                checked()
        order = list(self._in_order())
        for place in order:
            self._waits_for.pop(place, None)
        free = set(order)
        for place, others in self._waits_for.items():
            models = {self._targets[name].model for name, _ in others - free}
            self._used_by.setdefault(place, set()).update(models)
        return [self._rows[place] for place in order]

    def kept(self) -> Iterator[tuple[MissingRow, str]]:
        """Yield the other rows, with the reason why they are kept."""
        for place, models in self._used_by.items():
            yield self._rows[place], self._targets[place[0]].in_use(models)

    def _find_users(self, name: str, row_ids: tuple[int, ...]) -> None:
        """Find the rows that refer to rows of a target."""
        planned, rows = self._planned, self._rows
        told_apart = {target for target, _ in rows} | planned.changed_targets
        apart = {self._targets[target].model for target in told_apart}
        removed = {row_id: planned.removed((name, row_id)) for row_id in row_ids}
        for row_id, model, key in self._targets[name].referrers(row_ids, apart):
            place = (name, row_id)
            user = None if key is None else (self._names.get(model, ""), key)
            if user is None or (user not in rows and user not in removed[row_id]):
                self._used_by.setdefault(place, set()).add(model)
            elif user in rows and user not in self._waits_for.setdefault(place, set()):
                self._waits_for[place].add(user)
                self._refers_to.setdefault(user, []).append(place)
        for row_id in row_ids:
            for target in planned.added((name, row_id)):
                used_by = self._used_by.setdefault((name, row_id), set())
                used_by.add(self._targets[target].model)

    def _in_order(self) -> Iterator[RowKey]:
        """Yield the rows that can be deleted, each after those that refer to it."""
        left = {place: len(users) for place, users in self._waits_for.items()}
        ready = [
            place
            for place in self._rows
            if place not in self._used_by and not left.get(place)
        ]
        for place in ready:
            yield place
            for parent in self._refers_to.get(place, ()):
                left[parent] -= 1
                if not left[parent] and parent not in self._used_by:
                    # Python also iterates over what is appended meanwhile.
                    ready.append(parent)
