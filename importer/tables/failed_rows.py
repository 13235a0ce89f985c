"""The rows of a table that weren't imported, as a table with the reasons: to be corrected
and imported again."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from datetime import datetime, tzinfo
from decimal import Decimal
from typing import BinaryIO

from importer import registry
from importer.csv_files import BYTE_ORDER_MARK, csv_pieces
from importer.package.fields import FieldKind, TargetSpec
from importer.package.item_result import ItemResult
from importer.package.shapes import Outcome
from importer.package.translation import gettext as _
from importer.tables.cells import Cell, ErrorCell, as_text, moment_of
from importer.tables.conversion import RowConverter, identity, places_of
from importer.tables.csv_rows import TableRow
from importer.tables.description import TableDescription, TableFormat, field_of
from importer.tables.detection import FoundTable, find_table, with_marks
from importer.tables.errors import CellError
from importer.tables.mapping import words_of
from importer.tables.reading import TableFile, cell_format

_NUMBERS = (FieldKind.DECIMAL, FieldKind.INTEGER)
_MOMENTS = (FieldKind.DATE, FieldKind.DATE_TIME)


def failures_by_line(entries: Iterable[ItemResult]) -> dict[int, str]:
    """Return the messages of the objects that failed, by the lines of their rows."""
    return reasons_by_line(e for e in entries if e.outcome is Outcome.FAILED)


def reasons_by_line(entries: Iterable[ItemResult]) -> dict[int, str]:
    """Return the messages of objects, by the lines of their rows: a row and a folder that
    is named in it are objects of one line."""
    reasons: dict[int, str] = {}
    for entry in entries:
        if entry.line is not None:
            before = reasons.get(entry.line, "")
            again = entry.message in before
            more = f"{before}; {entry.message}" if before else entry.message
            reasons[entry.line] = before if again else more
    return reasons


def failed_rows(
    table: BinaryIO,
    description: TableDescription,
    reasons: Mapping[int, str],
    *,
    zone: tzinfo | None = None,
) -> Iterator[bytes]:
    """Yield a CSV file of the rows that weren't imported, with a last column that says
    why.

    ``reasons`` are the messages by line; with the first row of a document come all of
    its rows. The file is read as the description says, if it says how; raise TableError
    if the table can't be read.
    """
    spec: TargetSpec = registry.targets()[description.target].spec
    file = TableFile(table)
    names = frozenset(words_of(c.column) for c in description.columns if c.column)
    found = find_table(file, description, names)
    title, headers = _("Why it wasn't imported"), found.headers.names
    places = places_of(description.columns, headers)
    how = with_marks(found, spec, places)
    kinds = {place: field_of(spec, name).kind for place, name in places}
    # A corrected table has the column already.
    width = len(headers) - (headers[-1:] == (title,))
    wrong = _chosen(file, spec, description, reasons, (found, how, zone))
    lines = ([*_texts(row, width, kinds, how), why] for row, why in wrong)
    yield BYTE_ORDER_MARK
    # The headers are in the line in which the description expects them.
    yield b"\r\n" * ((description.header_row or 1) - 1)
    # With this one, the decimal mark is recognised again even if no number tells it.
    usual = ";" if how.decimal == "," else ","
    delimiter = description.delimiter or how.delimiter or usual
    yield from csv_pieces([*headers[:width], title], lines, delimiter)


def _chosen(
    file: TableFile,
    spec: TargetSpec,
    description: TableDescription,
    reasons: Mapping[int, str],
    how: tuple[FoundTable, TableFormat, tzinfo | None],
) -> Iterator[tuple[TableRow, str]]:
    """Yield the rows that weren't imported, each with the reason."""
    found, form, zone = how
    if not description.group_by:
        for row in file.rows(form, found.headers):
            if row.line in reasons:
                yield row, reasons[row.line]
        return
    convert = RowConverter(
        spec, description, found.headers.names, cell_format(form, zone)
    )
    of_documents: dict[str | None, str] = {}
    current: str | None = None
    for row in file.rows(form, found.headers):
        converted = convert(row)
        if not converted.is_continued:
            current = identity(description.target, description.group_by, converted)
        if row.line in reasons:
            of_documents[current] = reasons[row.line]
        if current in of_documents:
            yield row, of_documents[current]


def _texts(
    row: TableRow, width: int, kinds: Mapping[int, FieldKind], how: TableFormat
) -> Iterator[str]:
    """Yield the texts of the cells of a row, as many as there are columns."""
    cells = list(row.cells)
    if len(cells) == width + 1:  # with an earlier reason
        cells.pop()
    cells += [None] * (width - len(cells))
    for place, cell in enumerate(cells):
        yield _text(cell, kinds.get(place), how)


def _text(cell: Cell, kind: FieldKind | None, how: TableFormat) -> str:
    """Return the text of a cell, from which the same value is read again."""
    if isinstance(cell, str):
        return cell
    if isinstance(cell, ErrorCell):
        return cell.text
    is_number = isinstance(cell, (int, float, Decimal)) and not isinstance(cell, bool)
    if isinstance(cell, datetime) or (is_number and kind in _MOMENTS):
        with suppress(CellError):
            # A form that is read whatever form other dates have.
            return as_text(moment_of(cell, cell_format(how)))
    text = as_text(cell)
    return text.replace(".", how.decimal) if is_number and kind in _NUMBERS else text
