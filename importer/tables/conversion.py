"""The conversion of rows into the values of properties."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import Decimal
from typing import Any

import msgspec

from importer.package.check import MAX_ID
from importer.package.fields import FieldKind, FieldSpec, TargetSpec
from importer.package.references import BY_CODE
from importer.package.suggestions import did_you_mean
from importer.package.translation import gettext as _
from importer.tables.cells import (
    Cell,
    CellFormat,
    as_text,
    boolean_value,
    date_time_value,
    date_value,
    decimal_value,
    integer_value,
    is_empty,
    plain,
)
from importer.tables.chosen import place_of
from importer.tables.csv_rows import TableRow
from importer.tables.description import (
    BY_INDENT,
    BY_PATH,
    TableColumn,
    TableDescription,
    field_of,
)
from importer.tables.errors import CellError, TableError

Values = dict[str, Any]
Errors = dict[str, str]
_HASHED = 16


class ConvertedRow(msgspec.Struct, frozen=True):
    """The values of one row and the errors of its cells, each by property.

    ``line_values`` has the properties of lines, without the name of their array.
    """

    line: int
    values: Values
    errors: Errors
    line_values: Values
    line_errors: Errors
    is_continued: bool = False
    has_line: bool = False


class CellReader(msgspec.Struct, frozen=True):
    """One column of a description: where its cells are, and what they become."""

    column: TableColumn
    name: str
    of_lines: bool
    place: int | None
    convert: Callable[[Cell], Any]
    constant: Any
    takes_null: bool

    def read(self, row: TableRow, values: Values, errors: Errors) -> bool:
        """Add the value of a row, or its error; return whether the row has a cell."""
        place, cells = self.place, row.cells
        cell = cells[place] if place is not None and place < len(cells) else None
        if is_empty(cell):
            if self.constant is not None:
                values[self.name] = self.constant
            elif self.takes_null:
                values[self.name] = None
            return False
        try:
            values[self.name] = self.convert(cell)
        except CellError as error:
            errors[self.name] = str(error)
        return True


class RowConverter:
    """The conversion of the rows of one table."""

    def __init__(
        self,
        spec: TargetSpec,
        description: TableDescription,
        headers: Sequence[str],
        how: CellFormat,
    ) -> None:
        self.width = len(headers)
        self._readers = [
            _reader(spec, column, headers, how)
            for column in description.columns
            if column.lookup not in (BY_PATH, BY_INDENT)
        ]
        self.special = {
            column.property: _place(column, headers)
            for column in description.columns
            if column.lookup in (BY_PATH, BY_INDENT)
        }
        self._group_by = description.group_by

    def __call__(self, row: TableRow) -> ConvertedRow:
        """Return the values of a row."""
        values: Values = {}
        errors: Errors = {}
        line_values: Values = {}
        line_errors: Errors = {}
        has_line = has_head = False
        for reader in self._readers:
            if reader.of_lines:
                has_line |= reader.read(row, line_values, line_errors)
            else:
                has_head |= reader.read(row, values, errors)
        if any(not is_empty(cell) for cell in row.cells[self.width :]):
            errors[""] = _("has %(count)s cells, but there are %(width)s columns") % {
                "count": len(row.cells),
                "width": self.width,
            }
        return ConvertedRow(
            row.line,
            values,
            errors,
            line_values,
            line_errors,
            is_continued=has_line and not has_head and not errors,
            has_line=has_line,
        )


def _reader(
    spec: TargetSpec, column: TableColumn, headers: Sequence[str], how: CellFormat
) -> CellReader:
    field = field_of(spec, column.property)
    name = column.property.partition(".")[2] or column.property
    convert = _with_values(column.values, _conversion(field, how))
    constant = None if column.default is None else _constant(column, convert)
    depends = field.applies is not None and field.applies.required
    return CellReader(
        column=column,
        name=name,
        of_lines="." in column.property,
        place=_place(column, headers),
        convert=convert,
        constant=constant,
        takes_null=field.limits.nullable and not field.required and not depends,
    )


def _constant(column: TableColumn, convert: Callable[[Cell], Any]) -> Any:
    try:
        return convert(column.default)
    except CellError as error:
        words = {"name": column.property, "reason": error}
        raise TableError(_("the default of %(name)s: %(reason)s") % words) from None


def _place(column: TableColumn, headers: Sequence[str]) -> int | None:
    """Return the place of a column; raise TableError if the table doesn't have it."""
    if column.column is None:
        return None
    place = place_of(column, headers)
    if place is not None:
        return place
    reason = _("the table has no column %(name)s") % {"name": f"“{column.column}”"}
    listed = ", ".join(headers[:20])
    known = _("it has: %(columns)s") % {"columns": listed}
    raise TableError(f"{reason}{did_you_mean(column.column, headers)}; {known}")


def places_of(
    columns: Iterable[TableColumn], headers: Sequence[str]
) -> list[tuple[int, str]]:
    """Return place and property of the columns that a table has."""
    found = [(_place(column, headers), column.property) for column in columns]
    return [(place, name) for place, name in found if place is not None]


def _with_values(
    values: Mapping[str, Any], convert: Callable[[Cell], Any]
) -> Callable[[Cell], Any]:
    if not values:
        return convert
    exact = dict(values)
    folded = {key.strip().casefold(): value for key, value in values.items()}

    def mapped(cell: Cell) -> Any:
        text = as_text(cell)
        found = exact.get(text, folded.get(text.casefold(), cell))
        return None if found is None else convert(found)

    return mapped


def _conversion(field: FieldSpec, how: CellFormat) -> Callable[[Cell], Any]:
    """Return the function that turns a cell into a value of a property."""
    match field.kind:
        case FieldKind.REFERENCE:
            return lambda cell: {BY_CODE: as_text(cell)}
        case FieldKind.DECIMAL:
            return lambda cell: decimal_value(cell, how)
        case FieldKind.INTEGER:
            return lambda cell: integer_value(cell, how)
        case FieldKind.BOOLEAN:
            return lambda cell: boolean_value(cell, how)
        case FieldKind.DATE:
            return lambda cell: date_value(cell, how)
        case FieldKind.DATE_TIME:
            return lambda cell: date_time_value(cell, how)
        case FieldKind.CHOICE:
            choices = {choice.casefold(): choice for choice in field.choices}
            return lambda cell: choices.get(as_text(cell).casefold(), as_text(cell))
    return as_text


def identity(target: str, key: Iterable[str], row: ConvertedRow) -> str | None:
    """Return the ``$id`` of a row's object, None if a value of its key is missing.

    It depends on the key alone: a row keeps its object wherever it is in the file.
    """
    parts = []
    for name in key:
        value = row.values.get(name)
        if value is None or value == "":
            return None
        parts.append(_text_of(value).replace("|", "||"))
    return bounded(f"{target}:{'|'.join(parts)}", MAX_ID)


def bounded(text: str, longest: int) -> str:
    """Return a text, with a digest in place of the end of a long one."""
    if len(text) <= longest:
        return text
    digest = hashlib.sha256(text.encode()).hexdigest()[:_HASHED]
    return f"{text[: longest - _HASHED - 1]}~{digest}"


def _text_of(value: Any) -> str:
    if isinstance(value, dict):
        return str(next(iter(value.values())))
    if isinstance(value, (int, Decimal)) and not isinstance(value, bool):
        return plain(value)
    return str(value)


def nameless(target: str, line: int) -> str:
    """Return the ``$id`` of an object that fails because its key is missing."""
    return f"{target}: (line {line})"
