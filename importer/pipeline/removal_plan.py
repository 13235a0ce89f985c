"""The plan of a run's deletions: which of the missing rows nothing else refers to, and
in which order they can be deleted."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any

import msgspec

from importer.pipeline.compact_texts import CompactTexts
from importer.pipeline.planned_references import PlannedReferences, RowKey
from importer.pipeline.policies import MissingPolicy
from importer.pipeline.ports import Targets
from importer.pipeline.values import ExistingRow

_NO_VERSION = -1
_LOW = (1 << 32) - 1


class MissingRow(msgspec.Struct, frozen=True):
    """A row whose object, with the id ``key``, the file no longer has."""

    policy: MissingPolicy
    key: str
    row_id: int
    version: int | None
    name: str = ""


class RemovalPlan:
    """The missing rows of all targets that should be deleted, stored in columns.

    A row can be deleted when all rows that refer to it have been: children before their
    parents, whatever their targets. Rows have numbers, those of a target in sequence.
    """

    def __init__(
        self, targets: Targets, planned: PlannedReferences, window: int
    ) -> None:
        self._targets = targets
        self._planned = planned
        self._window = window
        self._names = {target.model: name for name, target in targets.items()}
        self._policies: list[MissingPolicy] = []
        self._starts: list[int] = []
        self._keys = CompactTexts()
        self._row_names = CompactTexts()
        self._row_ids = array("q")
        self._versions = array("q")
        # The numbers of a target in the order of their rows' keys.
        self._sorted: dict[str, array[int]] = {}
        # For each row the models that use it, as an index of the combinations.
        self._used_by = array("H")
        self._uses: list[frozenset[type[Any]]] = [frozenset()]
        # Each pair of a missing row and one that it refers to, as one number.
        self._pairs = array("Q")

    def begin(self, policy: MissingPolicy) -> None:
        """Begin the rows of a target."""
        self._policies.append(policy)
        self._starts.append(len(self._row_ids))

    def add(self, key: str, row: ExistingRow) -> None:
        """Add a row that should be deleted, of the target begun last."""
        self._keys.append(key, named=False)
        self._row_names.append(row.name, named=False)
        self._row_ids.append(row.row_id)
        self._versions.append(_NO_VERSION if row.version is None else row.version)

    def row(self, number: int) -> MissingRow:
        """Return a row by its number."""
        place = next(
            p for p in reversed(range(len(self._starts))) if self._starts[p] <= number
        )
        version = self._versions[number]
        return MissingRow(
            self._policies[place],
            self._keys[number],
            self._row_ids[number],
            None if version == _NO_VERSION else version,
            self._row_names[number],
        )

    def removals(self, checked: Callable[[], None]) -> array[int]:
        """Return the numbers of the rows that can be deleted, in order.

        ``checked`` is called after each window.
        """
        count = len(self._row_ids)
        self._used_by = array("H", bytes(2 * count))
        spans = self._spans()
        self._sorted = {
            name: array("I", sorted(span, key=self._row_ids.__getitem__))
            for name, span in spans.items()
        }
        for name, span in spans.items():
            for start in range(0, len(span), self._window):
                self._find_users(name, span[start : start + self._window])
                checked()
        # A row may refer to another in several ways.
        self._pairs = array("Q", (pair for pair, _ in groupby(sorted(self._pairs))))
        return self._in_order(count)

    def kept(self, removed: Sequence[int]) -> Iterator[tuple[MissingRow, str]]:
        """Yield the rows that can't be deleted, with the reason."""
        kept = bytearray(b"\1" * len(self._row_ids))
        for number in removed:
            kept[number] = 0
        for pair in self._pairs:
            user, used = pair >> 32, pair & _LOW
            if kept[user]:
                target = self.row(user).policy.target
                self._use(used, {self._targets[target].model})
        for number in range(len(kept)):
            if kept[number]:
                row, models = self.row(number), self._uses[self._used_by[number]]
                yield row, self._targets[row.policy.target].in_use(models)

    def _spans(self) -> dict[str, range]:
        """Return the numbers of each target with rows."""
        ends = [*self._starts[1:], len(self._row_ids)]
        spans = zip(self._policies, self._starts, ends, strict=True)
        return {policy.target: range(a, b) for policy, a, b in spans if a < b}

    def _number(self, name: str, row_id: int) -> int | None:
        """Return the number of a target's row, None if it isn't planned."""
        numbers = self._sorted.get(name, array("I"))
        place = bisect_left(numbers, row_id, key=self._row_ids.__getitem__)
        if place < len(numbers) and self._row_ids[numbers[place]] == row_id:
            return numbers[place]
        return None

    def _find_users(self, name: str, window: range) -> None:
        """Find the rows that refer to rows of a target."""
        planned, row_ids = self._planned, self._row_ids[window.start : window.stop]
        numbers = dict(zip(row_ids, window, strict=True))
        told_apart = self._sorted.keys() | planned.changed_targets
        apart = {self._targets[target].model for target in told_apart}
        removed = {row_id: planned.removed((name, row_id)) for row_id in row_ids}
        for row_id, model, key in self._targets[name].referrers(row_ids, apart):
            user: RowKey | None = None
            if key is not None:
                user = (self._names.get(model, ""), key)
            if user in removed[row_id]:
                continue
            number = None if user is None else self._number(*user)
            if number is None:
                self._use(numbers[row_id], {model})
            else:
                self._pairs.append(number << 32 | numbers[row_id])
        for row_id, number in numbers.items():
            if added := planned.added((name, row_id)):
                self._use(number, {self._targets[target].model for target in added})

    def _use(self, number: int, models: Iterable[type[Any]]) -> None:
        """Note that rows of some models refer to a row and stay."""
        found = self._uses[self._used_by[number]] | {*models}
        if found not in self._uses:
            self._uses.append(found)
        self._used_by[number] = self._uses.index(found)

    def _in_order(self, count: int) -> array[int]:
        """Return the rows that can be deleted, each after those that refer to it."""
        left = array("I", bytes(4 * count))
        for pair in self._pairs:
            left[pair & _LOW] += 1
        free = (n for n in range(count) if not (self._used_by[n] or left[n]))
        order = array("I", free)
        done = 0
        while done < len(order):
            user = order[done]
            done += 1
            for used in self._used_of(user):
                left[used] -= 1
                if not (left[used] or self._used_by[used]):
                    order.append(used)
        return order

    def _used_of(self, user: int) -> Iterator[int]:
        """Yield the missing rows that a missing row refers to."""
        place = bisect_left(self._pairs, user << 32)
        while place < len(self._pairs) and self._pairs[place] >> 32 == user:
            yield self._pairs[place] & _LOW
            place += 1
