"""The rows of a table that weren't imported, as a table with the reasons: to be corrected
and imported again."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import date, datetime, time, tzinfo
from decimal import Decimal
from typing import BinaryIO

from importer import registry
from importer.csv_files import csv_pieces
from importer.package.item_result import ItemResult
from importer.package.shapes import Outcome
from importer.package.translation import gettext as _
from importer.tables.cells import Cell, ErrorCell, plain
from importer.tables.conversion import RowConverter, identity
from importer.tables.csv_rows import TableRow
from importer.tables.description import TableDescription, TableFormat
from importer.tables.detection import FoundTable, find_table
from importer.tables.mapping import words_of
from importer.tables.reading import TableFile, cell_format

_WITH_MARK = "utf-8-sig"
_PARTS = {"YYYY": "%Y", "YY": "%y", "MM": "%m", "DD": "%d"}


def failures_by_line(entries: Iterable[ItemResult]) -> dict[int, str]:
    """Return the messages of the objects that failed, by the lines of their rows."""
    failed = (entry for entry in entries if entry.outcome is Outcome.FAILED)
    return {entry.line: entry.message for entry in failed if entry.line is not None}


def failed_rows(
    table: BinaryIO,
    description: TableDescription,
    failures: Mapping[int, str],
    *,
    zone: tzinfo | None = None,
) -> Iterator[bytes]:
    """Yield a CSV file of the rows that failed, with a last column that says why.

    ``failures`` are the messages by line; with the first row of a document come all of
    its rows. The file is read as the description says, if it says how; raise TableError
    if the table can't be read.
    """
    file = TableFile(table)
    names = frozenset(words_of(c.column) for c in description.columns if c.column)
    found = find_table(file, description, names)
    rows = _chosen(file, description, failures, found, zone)
    headers, texts = found.headers, _Texts(found.how)
    lines = ([*(texts.of(c) for c in row.cells), why] for row, why in rows)
    pieces = csv_pieces(
        [*headers.names, _("Why it failed")], lines, description.delimiter or ","
    )
    encoding = description.encoding or _WITH_MARK
    above = "\r\n" * ((description.header_row or 1) - 1)
    for number, piece in enumerate(pieces):
        text = piece.decode() if number else above + piece.decode()
        # The mark begins the file, and nothing else.
        plain_utf8 = number and encoding == _WITH_MARK
        yield text.encode("utf-8" if plain_utf8 else encoding, "replace")


def _chosen(
    file: TableFile,
    description: TableDescription,
    failures: Mapping[int, str],
    found: FoundTable,
    zone: tzinfo | None,
) -> Iterator[tuple[TableRow, str]]:
    """Yield the rows that failed, each with the reason."""
    how, headers = found.how, found.headers
    if not description.group_by:
        for row in file.rows(how, headers):
            if row.line in failures:
                yield row, failures[row.line]
        return
    spec = registry.targets()[description.target].spec
    convert = RowConverter(spec, description, headers.names, cell_format(how, zone))
    reasons: dict[str | None, str] = {}
    current: str | None = None
    for row in file.rows(how, headers):
        converted = convert(row)
        if not converted.is_continued:
            current = identity(description.target, description.group_by, converted)
        if row.line in failures:
            reasons[current] = failures[row.line]
        if current in reasons:
            yield row, reasons[current]


class _Texts:
    """The texts of cells, as they are read again."""

    def __init__(self, how: TableFormat) -> None:
        self._decimal = how.decimal or "."
        form = how.date_format or "YYYY-MM-DD"
        for part in ("YYYY", "YY", "MM", "DD"):
            form = form.replace(part, _PARTS[part])
        self._date = form

    def of(self, cell: Cell) -> str:
        """Return the text of a cell."""
        match cell:
            case None:
                return ""
            case ErrorCell():
                return cell.text
            case datetime() if cell.time() != time():
                return cell.strftime(f"{self._date} %H:%M:%S")
            case date():
                return cell.strftime(self._date)
            case float():
                exact = plain(Decimal(f"{cell:.15g}"))
                return exact.replace(".", self._decimal)
        return str(cell)
