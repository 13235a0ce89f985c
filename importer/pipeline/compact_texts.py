"""Many short texts, by number and back, in a few bytes each.

A list and a dictionary take 130 bytes for each, and a big package has a quarter of a
million ids. Here the texts are in one buffer, and a hash table has their numbers.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import overload

_SMALLEST = 1 << 10
_MOST_FOUND = 1000


class CompactTexts(Sequence[str]):
    """Texts in order, some of them named: found by ``numbers``.

    The hash table is open, with linear probing. It gets the numbers in ascending order,
    so that without the last ones it is again as it was before them.
    """

    def __init__(self) -> None:
        self.numbers = NumbersByText(self)
        self.listed = 0
        self._text = bytearray()
        self._ends = array("I", (0,))
        # Each slot has a number plus one, or zero.
        self._slots = array("I", (0,)) * _SMALLEST
        self._last = _SMALLEST - 1
        # Most objects refer to the same few.
        self._found: dict[str, int] = {}

    def __len__(self) -> int:
        return len(self._ends) - 1

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]  # it changes

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> list[str]: ...
    def __getitem__(self, index: int | slice) -> str | list[str]:
        text, ends = self._text, self._ends
        if isinstance(index, slice):
            start, stop, step = index.indices(len(self))
            first, last = ends[start], ends[max(start, stop)]
            part = bytes(text[first:last])
            places = (end - first for end in ends[start : max(start, stop) + 1])
            return [part[a:b].decode() for a, b in pairwise(places)][::step]
        if not 0 <= index < len(self):
            raise IndexError(index)
        return text[ends[index] : ends[index + 1]].decode()

    def append(self, given: str, *, named: bool = True) -> bool:
        """Add a text; return whether it should be named, but an earlier one is equal."""
        written, doubled = given.encode(), False
        self._text += written
        if named:
            slot, slots = hash(written) & self._last, self._slots
            if slots[slot]:
                slot = self._probe(written, slot)
            if slots[slot]:
                doubled = True
            else:
                slots[slot] = len(self._ends)
                self.listed += 1
        try:
            self._ends.append(len(self._text))
        except OverflowError:  # at four gigabytes
            self._ends = array("Q", self._ends)
            self._ends.append(len(self._text))
        if self.listed * 2 > self._last:
            self._grow()
        return doubled

    def number(self, text: str) -> int | None:
        """Return the number of a named text, None if there is none."""
        known = self._found.get(text)
        if known is not None:
            return known
        written = text.encode("utf-8", "surrogatepass")
        found = self._slots[self._probe(written, hash(written) & self._last)]
        if not found:
            return None
        if len(self._found) >= _MOST_FOUND:
            self._found.clear()
        self._found[text] = found - 1
        return found - 1

    def forget_from(self, number: int) -> None:
        """Remove the texts from a number on."""
        self._found.clear()
        for last in range(len(self) - 1, number - 1, -1):
            written = self._written(last)
            slot = self._probe(written, hash(written) & self._last)
            if self._slots[slot] == last + 1:
                self._slots[slot] = 0
                self.listed -= 1
        del self._ends[number + 1 :]
        del self._text[self._ends[number] :]

    def _written(self, number: int) -> bytes:
        return bytes(self._text[self._ends[number] : self._ends[number + 1]])

    def _probe(self, written: bytes, slot: int) -> int:
        """Return the slot of a text or the free one where it belongs."""
        slots, last, text, ends = self._slots, self._last, self._text, self._ends
        while found := slots[slot]:
            if text[ends[found - 1] : ends[found]] == written:
                break
            slot = (slot + 1) & last
        return slot

    def _grow(self) -> None:
        old, size = self._slots, len(self._slots) * 2
        self._slots = slots = array("I", (0,)) * size
        self._last = last = size - 1
        named = None if self.listed == len(self) else set(old)
        text = bytes(self._text)
        for found, (begin, end) in enumerate(pairwise(self._ends), 1):
            if named is None or found in named:
                slot = hash(text[begin:end]) & last
                while slots[slot]:
                    slot = (slot + 1) & last
                slots[slot] = found


class NumbersByText(Mapping[str, int]):
    """The numbers of the named texts."""

    def __init__(self, texts: CompactTexts) -> None:
        self._texts = texts

    def __len__(self) -> int:
        return self._texts.listed

    def __iter__(self) -> Iterator[str]:
        if self._texts.listed == len(self._texts):
            return iter(self._texts[:])
        return (
            one for number, one in enumerate(self._texts) if self.get(one) == number
        )

    def __getitem__(self, text: str) -> int:
        number = self._texts.number(text)
        if number is None:
            raise KeyError(text)
        return number
