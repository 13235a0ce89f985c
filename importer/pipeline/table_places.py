"""The places in the table that a package was made from: each object begins in the line
of its row, and the header names the columns."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import BinaryIO

from msgspec.structs import replace

from importer.package import paths
from importer.package.json_values import scan
from importer.package.shapes import Problem, error
from importer.pipeline.causes import Causes, FirstOccurrence
from importer.pipeline.memory import Memory

_INDEX = re.compile(r"\[[0-9]+\]")
_LINE = re.compile(r"(\w+)\[([0-9]+)\]")
_BETWEEN = re.compile(r"[\s,]*")


class RowPlaces:
    """The lines and columns of the objects of one package."""

    def __init__(
        self, columns: Mapping[str, str], source: BinaryIO, memory: Memory
    ) -> None:
        self._columns = columns
        self._source = source
        self._memory = memory

    def sentence(self, number: int, problem: Problem) -> str:
        """Return a problem of an object with its line and column in the table."""
        place = _occurrence(self._line(number, problem.path), self.column(problem.path))
        return error(place, problem.message).message

    def column(self, path: str) -> str:
        """Return the column of a path inside an object; a property without a column has
        its own name."""
        return self._columns.get(_INDEX.sub("", path), path)

    def locate(self, causes: Causes) -> None:
        """Add line and column to the first occurrence of each cause."""
        for cause, number in causes.first_objects():
            found = paths.of_item(cause.first.path)
            path = "" if found is None else found[2]
            cause.first = replace(
                cause.first, line=self._line(number, path), column=self.column(path)
            )

    def _line(self, number: int, path: str) -> int:
        """Return the line of a path inside an object."""
        line, inner = self._memory.file_line(number), _LINE.match(path)
        if inner is None:
            return line
        start, length = self._memory.place(number)
        self._source.seek(start)
        text = self._source.read(length).decode()
        return line + _lines_before(text, inner[1], int(inner[2]))


def _occurrence(line: int, column: str) -> str:
    return FirstOccurrence("", line, column=column).place


def _lines_before(text: str, name: str, index: int) -> int:
    """Return the number of line ends in an object before an element of an array."""
    found = text.find(f'"{name}":[')
    if found < 0:
        return 0
    at = text.index("[", found) + 1
    for _element in range(index):
        at = scan(text, _after(text, at))[1]
    return text.count("\n", 0, _after(text, at))


def _after(text: str, at: int) -> int:
    found = _BETWEEN.match(text, at)
    return at if found is None else found.end()
