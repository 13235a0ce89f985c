"""What this run wrote or planned, for look-ups the database cannot answer.

In a real run it lives as long as its window: afterwards the database knows. In a dry
run it lives to the end, and keeps of the planned rows only what a later object names.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any


class Overlay:
    """The writes of a run, laid over what the database says."""

    def __init__(self) -> None:
        self._rows: dict[tuple[str, int], Any] = {}
        self._holders: dict[tuple[str, str], dict[Any, int]] = {}
        self._rewritten: dict[str, set[int]] = {}
        self._claimed: dict[str, dict[int, int]] = {}
        self._new: dict[str, set[int]] = {}
        self._foretold: set[tuple[str, Any]] = set()

    def note(
        self,
        target: str,
        row_id: int,
        values: list[tuple[str, Any]],
        *,
        existed: bool,
        row: Any | None,
        number: int = -1,
    ) -> None:
        """Note a write by an object: the row's unique values, and the row if others
        may ask."""
        if existed:
            self._rewritten.setdefault(target, set()).add(row_id)
            self._claimed.setdefault(target, {})[row_id] = number
        elif row_id > 0:
            self._new.setdefault(target, set()).add(row_id)
        for name, value in values:
            if value is not None and value != "":
                self._holders.setdefault((target, name), {})[value] = row_id
        if row is not None:
            self._rows[target, row_id] = row

    def note_foretold(self, target: str, code: Any) -> None:
        """Note a code that a planned row will be given by being saved."""
        self._foretold.add((target, code))

    def is_foretold(self, target: str, code: Any) -> bool:
        """Return whether a code is still to be given, so that another may get it
        first."""
        return (target, code) in self._foretold

    @property
    def changed(self) -> bool:
        """Return whether existing rows were written, so that codes may have moved."""
        return bool(self._rewritten)

    def row(self, target: str, row_id: int) -> Any | None:
        """Return a row as this run left it."""
        return self._rows.get((target, row_id))

    def is_new(self, target: str, row_id: int) -> bool:
        """Return whether a row was planned, or made since the last ``clear``."""
        return row_id < 0 or row_id in self._new.get(target, ())

    def claimed(self, target: str, row_id: int) -> bool:
        """Return whether this run already wrote to an existing row."""
        return row_id in self._claimed.get(target, ())

    def writer(self, target: str, row_id: int) -> int | None:
        """Return the number of the object that planned or wrote to a row, if known."""
        if row_id < 0:
            return -1 - row_id
        return self._claimed.get(target, {}).get(row_id)

    def holders(
        self, target: str, name: str, value: Any, stored: list[int]
    ) -> list[int]:
        """Correct the keys of the rows that hold a value in the database."""
        rewritten = self._rewritten.get(target, ())
        found = [row_id for row_id in stored if row_id not in rewritten]
        holder = self._holders.get((target, name), {}).get(value)
        if holder is not None and holder not in found:
            found.append(holder)
        return found

    def current_values(
        self, target: str, name: str, stored: Iterable[tuple[Any, int]]
    ) -> dict[int, Any]:
        """Correct what rows hold in the database in a property, by their keys."""
        rewritten = self._rewritten.get(target, ())
        found = {row: value for value, row in stored if row not in rewritten}
        noted = self._holders.get((target, name), {})
        return found | {row: value for value, row in noted.items()}

    def clear(self) -> None:
        """Forget everything: the database has it."""
        for noted in (self._rows, self._holders, self._claimed):
            noted.clear()
        for row_ids in (self._rewritten, self._new):
            row_ids.clear()
