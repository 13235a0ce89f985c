"""The objects of a package made from the rows of a table: one for each row, with the
folders above it, or one for the rows of a document."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from importer.package.check import ID
from importer.package.fields import TargetSpec
from importer.package.given_errors import ERRORS
from importer.package.references import BY_ID
from importer.package.translation import gettext as _
from importer.tables.cells import as_text
from importer.tables.conversion import (
    ConvertedRow,
    RowConverter,
    bounded,
    identity,
    nameless,
)
from importer.tables.csv_rows import TableRow
from importer.tables.description import BY_INDENT, TableDescription, folder_flag
from importer.tables.errors import CellError

_FOLDER = "folder:"
_LONGEST_CODE = 50


class TableObject(msgspec.Struct, frozen=True):
    """An object, the line of its row, and the lines of the rows that are its lines if
    no other rows are between them."""

    line: int
    item: dict[str, Any]
    rows: tuple[int, ...] = ()


class RowIdentities:
    """The ids of the objects so far: two rows with one key are an error of the second."""

    def __init__(self, description: TableDescription) -> None:
        self._target = description.target
        self._key = description.key
        # Hashes take a tenth of the memory of the ids.
        self._lines: dict[int, int] = {}

    def item_of(self, row: ConvertedRow) -> dict[str, Any]:
        """Return the object of a row, with its id and the errors of its cells."""
        errors, found = row.errors, identity(self._target, self._key, row)
        if found is None:
            if not errors.keys() & {*self._key, ""}:
                empty = next(n for n in self._key if row.values.get(n) in (None, ""))
                errors[empty] = _("is empty, but identifies the row")
            found = nameless(self._target, row.line)
        else:
            first = self._lines.setdefault(hash(found), row.line)
            if first != row.line:
                message = _("line %(line)s already has this key: %(key)s")
                shown = found.removeprefix(f"{self._target}:")
                errors[self._key[0]] = message % {"line": first, "key": shown}
                found = nameless(self._target, row.line)
        item = {ID: found, **row.values}
        return {**item, ERRORS: errors} if errors else item


def row_objects(
    spec: TargetSpec,
    description: TableDescription,
    convert: RowConverter,
    rows: Iterable[TableRow],
) -> Iterator[TableObject]:
    """Yield an object for each row, and each folder before its first object."""
    identities = RowIdentities(description)
    if not convert.special:
        for row in rows:
            yield TableObject(row.line, identities.item_of(convert(row)))
        return
    column = next(c for c in description.columns if c.property in convert.special)
    place = convert.special[column.property]
    if column.lookup == BY_INDENT:
        tree = IndentedRows(spec, place or 0)
        yield from tree.objects(rows, convert, identities)
        return
    folders = FolderPaths(spec, column.separator)
    for row in rows:
        converted = convert(row)
        cell = (
            row.cells[place] if place is not None and place < len(row.cells) else None
        )
        given = column.default if cell is None else cell
        try:
            names = folders.names(as_text(given))
        except CellError as error:
            converted.errors[spec.chain] = str(error)
            names = []
        for folder in folders.new(names):
            yield TableObject(row.line, folder)
        parent = {BY_ID: folders.identity(names)} if names else None
        converted.values[spec.chain] = parent
        yield TableObject(row.line, identities.item_of(converted))


class FolderPaths:
    """The folders named by paths such as ``Tools / Hand / Trowels``."""

    def __init__(self, spec: TargetSpec, separator: str) -> None:
        self._spec = spec
        self._separator = separator.strip() or separator
        self._known: set[tuple[str, ...]] = set()
        longest = spec.field(spec.code).limits.longest if spec.code else None
        self._longest = longest or _LONGEST_CODE
        self._named = any(field.name == "name" for field in spec.fields)

    def names(self, path: str) -> list[str]:
        """Return the names of a path, from the top."""
        parts = (" ".join(part.split()) for part in path.split(self._separator))
        return [part for part in parts if part]

    def identity(self, names: list[str]) -> str:
        """Return the ``$id`` of the folder of a path."""
        text = "|".join(name.replace("|", "||") for name in names)
        return bounded(f"{_FOLDER}{text}", 200)

    def new(self, names: list[str]) -> Iterator[dict[str, Any]]:
        """Yield the folders of a path that no earlier path had."""
        for depth in range(1, len(names) + 1):
            path = names[:depth]
            if tuple(path) not in self._known:
                self._known.add(tuple(path))
                yield self._folder(path)

    def _folder(self, path: list[str]) -> dict[str, Any]:
        item: dict[str, Any] = {ID: self.identity(path)}
        if flag := folder_flag(self._spec):
            item[flag] = True
        if self._spec.code:
            item[self._spec.code] = bounded("/".join(path), self._longest)
        if self._named:
            item["name"] = path[-1]
        if path[:-1]:
            item[self._spec.chain] = {BY_ID: self.identity(path[:-1])}
        return item


class IndentedRows:
    """A table whose rows are indented below their folder."""

    def __init__(self, spec: TargetSpec, place: int) -> None:
        self._chain = spec.chain
        self._flag = folder_flag(spec)
        self._place = place

    def objects(
        self, rows: Iterable[TableRow], convert: RowConverter, identities: RowIdentities
    ) -> Iterator[TableObject]:
        """Yield an object for each row: those with deeper rows below are folders."""
        above: list[tuple[int, str]] = []
        previous: tuple[ConvertedRow, int] | None = None
        for row in rows:
            depth = self._depth(row)
            if previous is not None:
                yield self._object(previous, depth, above, identities)
            previous = convert(row), depth
        if previous is not None:
            yield self._object(previous, 0, above, identities)

    def _depth(self, row: TableRow) -> int:
        cell = row.cells[self._place] if self._place < len(row.cells) else None
        text = cell.expandtabs(4) if isinstance(cell, str) else ""
        return len(text) - len(text.lstrip())

    def _object(
        self,
        one: tuple[ConvertedRow, int],
        following: int,
        above: list[tuple[int, str]],
        identities: RowIdentities,
    ) -> TableObject:
        row, depth = one
        while above and above[-1][0] >= depth:
            above.pop()
        row.values[self._chain] = {BY_ID: above[-1][1]} if above else None
        if self._flag:
            row.values.setdefault(self._flag, following > depth)
        item = identities.item_of(row)
        if following > depth:
            above.append((depth, item[ID]))
        return TableObject(row.line, item)
