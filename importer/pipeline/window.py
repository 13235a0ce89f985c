"""The look-ups of up to 1,000 objects of one step, served from a few queries.

There is one query per table and question, merged with what this run wrote. A row that
the window doesn't have doesn't exist; there is no query for a single object.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Any, TypeVar

from importer.package.shapes import EVERY_PACKAGE
from importer.pipeline.overlay import Overlay
from importer.pipeline.ports import Targets
from importer.pipeline.row_numbers import key_of, number_of

_State = TypeVar("_State")


class Window:
    """The rows one window of a run needs, fetched in one query per table."""

    def __init__(self, targets: Targets, overlay: Overlay) -> None:
        self._targets = targets
        self._overlay = overlay
        self._rows: dict[tuple[str, int], Any] = {}
        self._live: dict[tuple[str, str], dict[Any, list[int]]] = {}
        self._adoptable: dict[tuple[Any, ...], list[int]] = {}

    @cached_property
    def lookup(self) -> WindowLookup:
        """Return the window in the form that targets use."""
        return WindowLookup(self, self._targets)

    def load_live(self, target: str, name: str, values: Iterable[Any]) -> None:
        """Load the live rows with given values of a property."""
        known = self._live.setdefault((target, name), {})
        asked = [v for v in dict.fromkeys(values) if v not in known]
        if not asked:
            return
        for value in asked:
            known[value] = []
        for value, row_id in self._targets[target].live(name, asked):
            known[value].append(row_id)

    def load_rows(self, target: str, row_ids: Iterable[int]) -> None:
        """Load rows by their keys; planned ones are in the overlay already."""
        asked = [
            row_id
            for row_id in dict.fromkeys(row_ids)
            if row_id > 0 and (target, row_id) not in self._rows
        ]
        if asked:
            for row_id, row in self._targets[target].rows(asked).items():
                self._rows[target, row_id] = row

    def load_chains(self, target: str, row_ids: Iterable[int]) -> None:
        """Load the ancestors of rows, one query per level of the tree."""
        reader = self._targets[target]
        level = set(row_ids)
        loaded: set[int] = set()
        while level:
            self.load_rows(target, level)
            loaded |= level
            rows = (self.row(target, row_id) for row_id in level)
            parents = {reader.chain(row) for row in rows if row is not None}
            level = {p for p in parents if p is not None} - loaded

    def load_adoptable(
        self,
        target: str,
        names: Sequence[str],
        keys: Iterable[tuple[Any, ...]],
        packages: Sequence[str] = (),
        *,
        own: str = "",
    ) -> list[int]:
        """Load the live rows that match by some properties: unmarked ones, and those
        of other packages.

        If those are all packages, rows of its ``own`` one are left to their objects.
        """
        asked = list(dict.fromkeys(keys))
        if not asked:
            return []
        self._adoptable.update((key, []) for key in asked)
        reader = self._targets[target]
        columns = [list(dict.fromkeys(column)) for column in zip(*asked, strict=True)]
        wanted = set(asked)
        for values, row_id in reader.adoptable(names, columns, packages):
            if values in wanted:
                self._adoptable[values].append(row_id)
        found = [row_id for ids in self._adoptable.values() for row_id in ids]
        self.load_rows(target, found)
        if EVERY_PACKAGE not in packages:
            return found
        rows = {row_id: self.row(target, row_id) for row_id in found}
        kept = {i for i, r in rows.items() if r is None or reader.package_of(r) != own}
        for row_ids in self._adoptable.values():
            row_ids[:] = [row_id for row_id in row_ids if row_id in kept]
        return [row_id for row_id in found if row_id in kept]

    def row(self, target: str, row_id: int) -> Any | None:
        """Return a row by its key, even a deleted one, with the changes of this run."""
        written = self._overlay.row(target, row_id)
        return written if written is not None else self._rows.get((target, row_id))

    def holders(self, target: str, name: str, value: Any) -> list[int]:
        """Return the keys of the live rows with a value in a property."""
        stored = self._live.get((target, name), {}).get(value, [])
        return self._overlay.holders(target, name, value, stored)

    def current_values(
        self, target: str, name: str, stored: Iterable[tuple[Any, int]]
    ) -> dict[int, Any]:
        """Return current values of live rows in a property, given the stored ones."""
        return self._overlay.current_values(target, name, stored)

    def writer(self, target: str, row_id: int | None) -> int | None:
        """Return the number of the object that wrote a row in this run, if any."""
        return None if row_id is None else self._overlay.writer(target, row_id)

    def simulated(self, kind: type[_State]) -> _State | None:
        """Return the instance of a class in which targets note what a dry run
        simulates."""
        return self._overlay.simulated(kind)

    def has_loaded(self, key: tuple[Any, ...]) -> bool:
        """Return whether the rows that match a key were loaded."""
        return key in self._adoptable

    def is_new(self, target: str, row_id: int) -> bool:
        """Return whether this run created or planned a row, so that no row refers to
        it."""
        return self._overlay.is_new(target, row_id)

    def candidates(self, target: str, key: tuple[Any, ...]) -> list[int]:
        """Return the matching rows that this run has not written."""
        found = self._adoptable.get(key, [])
        return [i for i in found if not self._overlay.claimed(target, i)]


class WindowLookup:
    """A window accessed by model: the ``RowLookup`` of a run."""

    def __init__(self, window: Window, targets: Targets) -> None:
        self._window = window
        self._names = {target.model: name for name, target in targets.items()}

    def load(self, model: type[Any], row_ids: Iterable[int]) -> None:
        """Do nothing: the window was loaded for all its objects at once."""

    def name(self, row: Any) -> str:
        """Return a row's name, with its ``$id`` if this package created it."""
        key = getattr(row, "import_key", None)
        return f"{row} ($id {key})" if key else str(row)

    def row(self, model: type[Any], row_id: int) -> Any | None:
        """Return a row by its key, even a deleted one, with the changes of this run."""
        return self._window.row(self._names.get(model, ""), number_of(row_id))

    def holders(self, model: type[Any], name: str, value: Any) -> Sequence[int]:
        """Return the keys of the live rows with a value in a property."""
        found = self._window.holders(self._names.get(model, ""), name, value)
        return [key_of(number) for number in found]

    def simulated(self, kind: type[_State]) -> _State | None:
        """Return the one instance of a class in which targets note what a dry run
        simulates; None in a real run."""
        return self._window.simulated(kind)
