"""The text of a package made from a table, written object by object."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, BinaryIO

import msgspec

from importer.package.fields import TargetSpec
from importer.package.shapes import FORMAT, Origin
from importer.tables.description import TableDescription
from importer.tables.objects import TableObject

_encode = msgspec.json.Encoder(decimal_format="number").encode
_FLUSHED = 1 << 16


def header_of(description: TableDescription, configuration: str) -> dict[str, Any]:
    """Return the header of the package of a table, without its steps."""
    return {
        "format": FORMAT,
        "package": description.package,
        "version": 1,
        "origin": Origin.IMPORT.value,
        "configuration": configuration,
    }


def step_of(description: TableDescription, spec: TargetSpec) -> dict[str, Any]:
    """Return the keys of the step, without its objects."""
    keys = {
        spec.kind: spec.name,
        "match": list(description.match) or None,
        "onChange": description.on_change,
        "onUserModified": description.on_user_modified,
        "onMissing": description.on_missing,
    }
    return {key: value for key, value in keys.items() if value is not None}


def columns_of(description: TableDescription) -> dict[str, str]:
    """Return the name of the column of each property."""
    return {c.property: c.column for c in description.columns if c.column is not None}


class PackageText:
    """The writer of one package.

    With ``placed`` each object begins in the line that its row has in the table, so that
    the lines of a run's report are those of the table, and the header names the columns
    for its messages. Otherwise the text is that of a package made by hand, with one
    object in each line.
    """

    def __init__(self, out: BinaryIO, arrays: tuple[str, ...], *, placed: bool) -> None:
        self._out = out
        self._arrays = arrays
        self._placed = placed
        self._line = 1
        self._parts: list[bytes] = []
        self._size = 0

    def write(
        self,
        header: dict[str, Any],
        step: dict[str, Any],
        objects: Iterable[TableObject],
        columns: dict[str, str],
    ) -> None:
        """Write the whole package."""
        header = {**header, "columns": columns} if self._placed else header
        begin = _encode({**header, "steps": []}).removesuffix(b"]}")
        keys = _encode({**step, "items": []}).removesuffix(b"]}")
        self._add(begin + keys)
        separator = b""
        for one in objects:
            self._add(separator)
            self._begin(one.line)
            self._object(one)
            separator = b","
        self._add(b"\n]}]}\n")
        self._flush()

    def _object(self, one: TableObject) -> None:
        name = self._arrays[0] if self._arrays else ""
        if not (self._placed and one.rows and name in one.item):
            self._add(_encode(one.item))
            return
        others = {key: value for key, value in one.item.items() if key != name}
        self._add(_encode(others).removesuffix(b"}"))
        self._add(b"," + _encode(name) + b":")
        separator = b"["
        for line, row in zip(one.item[name], one.rows, strict=True):
            self._add(separator)
            self._begin(row)
            self._add(_encode(line))
            separator = b","
        self._add(b"]}")

    def _begin(self, line: int) -> None:
        """Go to the line of a row."""
        if not self._placed:
            self._add(b"\n")
        elif line > self._line:
            self._add(b"\n" * (line - self._line))
            self._line = line

    def _add(self, text: bytes) -> None:
        self._parts.append(text)
        self._size += len(text)
        if self._size >= _FLUSHED:
            self._flush()

    def _flush(self) -> None:
        self._out.write(b"".join(self._parts))
        self._parts, self._size = [], 0
