"""The writes and plans of this run, for look-ups that the database can't answer.

In a real run it is cleared after each window, since the database then has the rows. In
a dry run it is kept to the end, with only those planned rows that a later object refers
to.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator
from typing import Any, TypeVar

from importer.pipeline.compact_texts import CompactTexts

_NARROW = 1 << 31
_State = TypeVar("_State")


class Holders:
    """The row with each value of a property. A dry run keeps them all to its end, so
    texts, as most are, take little."""

    def __init__(self) -> None:
        self._texts = CompactTexts()
        # Wider as soon as a key needs it; a planned row has a small negative one.
        self._rows = array("i")
        self._others: dict[Any, int] = {}

    def note(self, value: Any, row_id: int) -> None:
        """Note the row that has a value now."""
        if not isinstance(value, str):
            self._others[value] = row_id
            return
        if self._rows.typecode == "i" and not -_NARROW <= row_id < _NARROW:
            self._rows = array("q", self._rows)
        number = self._texts.number(value)
        if number is None:
            self._texts.append(value)
            self._rows.append(row_id)
        else:
            self._rows[number] = row_id

    def get(self, value: Any) -> int | None:
        """Return the row with a value, None if no noted one has it."""
        if not isinstance(value, str):
            return self._others.get(value)
        number = self._texts.number(value)
        return None if number is None else self._rows[number]

    def items(self) -> Iterator[tuple[Any, int]]:
        """Yield each value with its row."""
        yield from zip(self._texts, self._rows, strict=True)
        yield from self._others.items()


class Overlay:
    """The writes of a run, merged with the rows of the database."""

    def __init__(self, *, dry_run: bool = False) -> None:
        # What targets note of a dry run, by the class that notes it.
        self._simulated: dict[type[Any], Any] | None = {} if dry_run else None
        self._rows: dict[tuple[str, int], Any] = {}
        self._holders: dict[tuple[str, str], Holders] = {}
        self._rewritten: dict[str, set[int]] = {}
        self._claimed: dict[str, dict[int, int]] = {}
        self._new: dict[str, set[int]] = {}
        self._predicted: set[tuple[str, Any]] = set()

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
        need it."""
        if existed:
            self._rewritten.setdefault(target, set()).add(row_id)
            self._claimed.setdefault(target, {})[row_id] = number
        elif row_id > 0:
            self._new.setdefault(target, set()).add(row_id)
        for name, value in values:
            if value is not None and value != "":
                holders = self._holders.get((target, name))
                if holders is None:
                    holders = self._holders[target, name] = Holders()
                holders.note(value, row_id)
        if row is not None:
            self._rows[target, row_id] = row

    def note_predicted(self, target: str, code: Any) -> None:
        """Note a code that saving a planned row would draw."""
        self._predicted.add((target, code))

    def is_predicted(self, target: str, code: Any) -> bool:
        """Return whether a code is only predicted, so that another row may get it."""
        return (target, code) in self._predicted

    def simulated(self, kind: type[_State]) -> _State | None:
        """Return the instance of a class in which targets note what a dry run
        simulates."""
        if self._simulated is None:
            return None
        if kind not in self._simulated:
            self._simulated[kind] = kind()
        state: _State = self._simulated[kind]
        return state

    @property
    def changed(self) -> bool:
        """Return whether existing rows were written, so that codes may have moved."""
        return bool(self._rewritten)

    def row(self, target: str, row_id: int) -> Any | None:
        """Return a row with the changes of this run."""
        return self._rows.get((target, row_id))

    def is_new(self, target: str, row_id: int) -> bool:
        """Return whether a row was planned, or created since the last ``clear``."""
        return row_id < 0 or row_id in self._new.get(target, ())

    def claimed(self, target: str, row_id: int) -> bool:
        """Return whether this run has already written an existing row."""
        return row_id in self._claimed.get(target, ())

    def writer(self, target: str, row_id: int) -> int | None:
        """Return the number of the object that planned or wrote a row, if known."""
        if row_id < 0:
            return -1 - row_id
        return self._claimed.get(target, {}).get(row_id)

    def holders(
        self, target: str, name: str, value: Any, stored: list[int]
    ) -> list[int]:
        """Return the keys of the rows with a value, corrected by this run's writes."""
        rewritten = self._rewritten.get(target, ())
        found = [row_id for row_id in stored if row_id not in rewritten]
        noted = self._holders.get((target, name))
        holder = None if noted is None else noted.get(value)
        if holder is not None and holder not in found:
            found.append(holder)
        return found

    def current_values(
        self, target: str, name: str, stored: Iterable[tuple[Any, int]]
    ) -> dict[int, Any]:
        """Return the values of rows by their keys, corrected by this run's writes."""
        rewritten = self._rewritten.get(target, ())
        found = {row: value for value, row in stored if row not in rewritten}
        noted = self._holders.get((target, name))
        if noted is not None:
            found |= {row: value for value, row in noted.items()}
        return found

    def clear(self) -> None:
        """Remove everything, because the database has it."""
        for noted in (self._rows, self._holders, self._claimed):
            noted.clear()
        for row_ids in (self._rewritten, self._new):
            row_ids.clear()
