"""The description of how a table is read: its format, and its columns as properties of
a target."""

from __future__ import annotations

from typing import Any

import msgspec

from importer.package.fields import FieldKind, FieldSpec, TargetSpec
from importer.tables.cells import ISO

# What the cells of a column name, if not the value of a property.
BY_CODE, BY_PATH, BY_INDENT = "code", "path", "indent"


class TableColumn(msgspec.Struct, frozen=True, omit_defaults=True, rename="camel"):
    """A property and where its value comes from.

    Without ``column`` every row has ``default``, which otherwise is the value of empty
    cells. ``values`` replaces texts of cells. ``lookup`` is ``code`` for references,
    ``path`` for a column that has the names of all folders above a row, divided by
    ``separator``, and ``indent`` for one whose texts are indented below their folder.
    """

    property: str
    column: str | None = None
    lookup: str | None = None
    values: dict[str, Any] = {}
    default: Any = None
    separator: str = "/"


class TableDescription(msgspec.Struct, frozen=True, omit_defaults=True, rename="camel"):
    """A way to read a table into objects of one target.

    What isn't given is detected in the file. ``key`` are the properties that identify
    an object; the rows that are equal in ``group_by`` are the lines of one document.
    """

    target: str
    columns: tuple[TableColumn, ...]
    key: tuple[str, ...]
    name: str = ""
    format: str | None = None
    encoding: str | None = None
    delimiter: str | None = None
    decimal: str | None = None
    date_format: str | None = None
    sheet: str | None = None
    header_row: int | None = None
    group_by: tuple[str, ...] = ()
    match: tuple[str, ...] = ()
    on_change: str | None = None
    on_user_modified: str | None = None
    on_missing: str | None = None

    @property
    def package(self) -> str:
        """Return the name of the package that the table becomes."""
        return self.name or f"{self.target}-table"

    def wire(self) -> dict[str, Any]:
        """Return the description as JSON has it."""
        found: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(self))
        return found


class TableFormat(msgspec.Struct, frozen=True, rename="camel"):
    """How a file is read: everything that a description may leave open.

    ``header_row`` is 0 for a table without one; its columns have letters.
    """

    format: str
    encoding: str = ""
    delimiter: str = ""
    decimal: str = "."
    date_format: str = ISO
    sheet: str | None = None
    header_row: int = 1


def field_of(spec: TargetSpec, name: str) -> FieldSpec:
    """Return a property by its name, ``lines.itemId`` for one of lines; raise KeyError
    if there is none."""
    array, dot, inner = name.partition(".")
    field = spec.field(array)
    if not dot:
        return field
    for line_field in field.lines:
        if line_field.name == inner:
            return line_field
    raise KeyError(name)


def property_names(spec: TargetSpec) -> list[str]:
    """Return the names of all properties that columns may have."""
    names = []
    for field in spec.fields:
        if field.kind is FieldKind.LINES:
            names += [f"{field.name}.{line.name}" for line in field.lines]
        else:
            names.append(field.name)
    return names


def folder_flag(spec: TargetSpec) -> str:
    """Return the property that tells whether a row of a hierarchical target is a
    folder, empty if there is none."""
    if not spec.chain:
        return ""
    booleans = (f for f in spec.fields if f.kind is FieldKind.BOOLEAN and f.required)
    return next((field.name for field in booleans), "")
