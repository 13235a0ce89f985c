"""The references that a dry run would change, for the question which rows would still
be in use at its end."""

from __future__ import annotations

from array import array
from collections.abc import Collection, Iterable

# A target and the key of one of its rows.
RowKey = tuple[str, int]


class PlannedReferences:
    """The references to rows of some targets that the writes of a dry run change."""

    def __init__(self, targets: Collection[str]) -> None:
        self.targets = targets
        self._added: dict[RowKey, tuple[str, ...]] = {}
        self._removed: dict[RowKey, dict[str, array[int]]] = {}

    def note(
        self, row: RowKey, before: Iterable[RowKey], after: Iterable[RowKey]
    ) -> None:
        """Note the references of a row before and after its planned write."""
        target, row_id = row
        was, will = set(before), set(after)
        for to in will - was:
            # A planned row, which has a negative key, is never missing.
            if to[0] in self.targets and to[1] > 0:
                known = self._added.get(to, ())
                if target not in known:
                    self._added[to] = (*known, target)
        for to in was - will:
            if to[0] in self.targets:
                by_target = self._removed.setdefault(to, {})
                by_target.setdefault(target, array("q")).append(row_id)

    def added(self, to: RowKey) -> tuple[str, ...]:
        """Return the targets with rows that would refer to a row from now on."""
        return self._added.get(to, ())

    def removed(self, to: RowKey) -> set[RowKey]:
        """Return the rows that would no longer refer to a row."""
        by_target = self._removed.get(to, {})
        return {(name, row_id) for name, ids in by_target.items() for row_id in ids}

    @property
    def changed_targets(self) -> set[str]:
        """Return the targets of the rows that would no longer refer to others."""
        return {name for by_target in self._removed.values() for name in by_target}
