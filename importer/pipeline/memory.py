"""The objects of a package between the two readings, stored in columns.

A quarter of a million objects take some tens of megabytes: id, digest, place, line, row key.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterator

import msgspec

from importer.package.earlier_names import EarlierName
from importer.package.hashing import DIGEST_SIZE
from importer.package.references import Reference
from importer.package.shapes import Problem, Step
from importer.pipeline.compact_texts import CompactTexts

# The columns that are filled later grow by this number of objects.
_GROWTH = 1024
_ZEROS = (0,) * _GROWTH


class CodeUse(msgspec.Struct, frozen=True):
    """One ``$code`` in one object."""

    number: int
    path: str
    to: str
    code: str


class Memory:
    """Every object of a package by its number, including invalid ones."""

    def __init__(self) -> None:
        self.ids = CompactTexts()
        self.numbers = self.ids.numbers
        # Whether an earlier object has the id of the last one.
        self.doubled = False
        self.steps: list[Step] = []
        self.problems: dict[int, tuple[Problem, ...]] = {}
        # What invalid objects call their rows.
        self.names: dict[int, str] = {}
        # What objects give as their earlier ids.
        self.earlier_ids: dict[int, EarlierName] = {}
        # The target and the key of each row that was found under an earlier name.
        self.moved_marks: set[tuple[str, int]] = set()
        self._first: list[int] = []
        self._digests = bytearray()
        self._starts = array("Q")
        # An object of four gigabytes couldn't be read.
        self._lengths = array("I")
        self._lines = array("I")
        self._file_lines = array("I")
        self._named = bytearray()
        self._roots: dict[int, int] = {}
        self._row_ids = array("q")
        self._use_numbers = array("I")
        self._use_whats = array("I")
        self._whats: dict[tuple[str, str, str], int] = {}
        self._what_list: list[tuple[str, str, str]] = []

    def __len__(self) -> int:
        return len(self._starts)

    def begin_step(self) -> int:
        """Begin the objects of a step; return the number of the first."""
        self._first.append(len(self.ids))
        return len(self.ids)

    def add(
        self,
        identifier: str,
        digest: bytes,
        place: tuple[int, int, int],
        *,
        named: bool = True,
        lines: int = 0,
    ) -> int:
        """Store an object and return its number; others may refer to it if ``named``.

        ``place`` is its byte offset, its length and the line of the file where it
        begins, ``lines`` the length of its longest array of lines.
        """
        start, length, line = place
        number = len(self._starts)
        self.doubled = self.ids.append(identifier, named=named and identifier != "")
        self._digests += digest
        self._starts.append(start)
        self._lengths.append(length)
        self._lines.append(lines)
        self._file_lines.append(line)
        if number >= len(self._row_ids):
            self._named.extend(bytes(_GROWTH))
            self._row_ids.extend(_ZEROS)
        return number

    def name(self, number: int) -> None:
        """Note that another object refers to this one by its id."""
        self._named[number] = 1

    def use_code(self, number: int, reference: Reference) -> None:
        """Note a ``$code`` of an object."""
        what = (reference.path, reference.to, reference.key)
        place = self._whats.get(what)
        if place is None:
            place = self._whats[what] = len(self._what_list)
            self._what_list.append(what)
        self._use_numbers.append(number)
        self._use_whats.append(place)

    def forget_from(self, number: int) -> None:
        """Remove the objects from a number on, to read them again."""
        self.ids.forget_from(number)
        while self.problems and next(reversed(self.problems)) >= number:
            self.problems.popitem()
        for known in (self.earlier_ids, self.names):
            for later in [n for n in known if n >= number]:
                del known[later]
        del self._digests[number * DIGEST_SIZE :]
        for column in (self._starts, self._lengths, self._lines, self._row_ids):
            del column[number:]
        del self._file_lines[number:]
        del self._named[number:]
        self._roots = {n: root for n, root in self._roots.items() if n < number}
        kept = bisect_left(self._use_numbers, number)
        del self._use_numbers[kept:]
        del self._use_whats[kept:]

    def source_hash(self, number: int) -> str:
        """Return an object's hash as in marks."""
        start = number * DIGEST_SIZE
        return self._digests[start : start + DIGEST_SIZE].hex()

    def place(self, number: int) -> tuple[int, int]:
        """Return the byte offset and length of an object in the source."""
        return self._starts[number], self._lengths[number]

    def file_line(self, number: int) -> int:
        """Return the line of the file where an object begins, counted from one."""
        return self._file_lines[number]

    def lines(self, number: int) -> int:
        """Return the number of lines in an object's longest array."""
        return self._lines[number]

    def span(self, step: int) -> range:
        """Return the range of object numbers of a step."""
        following = step + 1
        end = self._first[following] if following < len(self._first) else len(self.ids)
        return range(self._first[step], end)

    def first(self, step: int) -> int:
        """Return the number of the first object of a step."""
        return self._first[step]

    def step_of(self, number: int) -> int:
        """Return the index of the step an object belongs to."""
        return bisect_right(self._first, number) - 1

    def fail(self, number: int, root: int | None = None) -> None:
        """Note that an object failed, for those that refer to it.

        ``root`` is the object whose failure caused this one, None if it failed by
        itself.
        """
        self._roots[number] = number if root is None else root

    def failed(self, number: int) -> bool:
        """Return whether an object failed in this run."""
        return number in self._roots

    def root(self, number: int) -> int:
        """Return the object that caused the failure of a failed one, often itself."""
        return self._roots.get(number, number)

    def named(self, number: int) -> bool:
        """Return whether another object refers to this one by its id."""
        return bool(self._named[number])

    def set_row(self, number: int, row_id: int) -> None:
        """Store the key of an object's row; that of a planned row is negative."""
        self._row_ids[number] = row_id

    def row_id(self, number: int) -> int | None:
        """Return the key of an object's row, None if it has none yet."""
        return self._row_ids[number] or None

    def code_uses(self, numbers: range) -> Iterator[CodeUse]:
        """Yield every ``$code`` of the objects, in order."""
        first = bisect_left(self._use_numbers, numbers.start)
        last = bisect_left(self._use_numbers, numbers.stop)
        whats, uses = self._what_list, self._use_numbers
        for place in range(first, last):
            yield CodeUse(uses[place], *whats[self._use_whats[place]])

    def distinct_codes(self, numbers: range) -> set[tuple[str, str]]:
        """Return each distinct (target, code) of the objects."""
        first = bisect_left(self._use_numbers, numbers.start)
        last = bisect_left(self._use_numbers, numbers.stop)
        whats = self._what_list
        return {whats[place][1:] for place in set(self._use_whats[first:last])}

    def named_codes(self) -> frozenset[tuple[str, str]]:
        """Return the (target, code) pairs of the whole package."""
        return frozenset(what[1:] for what in self._what_list)
