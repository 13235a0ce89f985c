"""Numbers for keys that aren't integers, valid during one run.

The engine stores the key of each row as a number. A row with a UUID or text key gets a
number when the run first uses it; reports show its key.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

# The highest numbers that a reference can have, which no sequence of keys reaches.
_FIRST = 9 * 10**17


class RowNumbers:
    """The numbers that a run assigned to keys."""

    def __init__(self) -> None:
        self._numbers: dict[Hashable, int] = {}
        self._keys: dict[int, Any] = {}

    def number(self, key: Any) -> Any:
        """Return the number of a key that isn't an integer."""
        if key not in self._numbers:
            number = self._numbers[key] = _FIRST + len(self._numbers)
            self._keys[number] = key
        return self._numbers[key]

    def key(self, number: Any) -> Any:
        """Return the key of a number; other numbers unchanged."""
        return self._keys.get(number, number)


_numbers: ContextVar[RowNumbers | None] = ContextVar("row_numbers", default=None)


@contextmanager
def numbering_rows() -> Iterator[None]:
    """Assign numbers to keys inside the block, separately for each block."""
    token = _numbers.set(RowNumbers())
    try:
        yield
    finally:
        _numbers.reset(token)


def number_of(key: Any) -> Any:
    """Return the number of a key in this run, or outside of runs the key itself."""
    if key is None or isinstance(key, int):
        return key
    numbers = _numbers.get()
    return str(key) if numbers is None else numbers.number(key)


def key_of(number: Any) -> Any:
    """Return the key of a number of this run; other numbers unchanged."""
    numbers = _numbers.get()
    return number if numbers is None else numbers.key(number)


def shown_key(number: int | None) -> int | str | None:
    """Return the key of a row for a report, None for a planned row."""
    if number is None or number < 0:
        return None
    if number < _FIRST:
        return number
    key = key_of(number)
    return key if isinstance(key, int) else str(key)
