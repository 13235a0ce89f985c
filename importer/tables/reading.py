"""The reading of a table: its headers, and the rows below them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, BinaryIO

import msgspec

from importer.package.translation import gettext as _
from importer.tables.cells import Cell, CellFormat, as_text, is_empty
from importer.tables.csv_rows import TableRow, csv_rows
from importer.tables.description import TableFormat
from importer.tables.errors import CellError, TableError

if TYPE_CHECKING:
    from importer.tables.xlsx_rows import Workbook

CSV, XLSX = "csv", "xlsx"
_ZIP = b"PK\x03\x04"
_OLE = b"\xd0\xcf\x11\xe0"
_OTHERS = (b"%pdf", b"<html", b"<!doc", b"<?xml", b"<table", b"{\\rtf")


class Headers(msgspec.Struct, frozen=True):
    """The names of the columns of a table, and the line that has them."""

    names: tuple[str, ...]
    line: int


def kind_of(stream: BinaryIO) -> str:
    """Return whether a file is CSV or XLSX; raise TableError for anything else."""
    stream.seek(0)
    start = stream.read(512)
    if not start.strip():
        raise TableError(_("the file is empty"))
    if start.startswith(_ZIP):
        return XLSX
    if start.startswith(_OLE):
        reason = _(
            "the file is an old (.xls) or a protected workbook; save it as XLSX "
            "without a password, or as CSV"
        )
        raise TableError(reason)
    if start.lstrip().lower().startswith(_OTHERS):
        reason = _("the file is neither CSV nor XLSX, whatever its name says")
        raise TableError(reason)
    return CSV


class TableFile:
    """A file with a table. The stream belongs to the caller."""

    def __init__(self, stream: BinaryIO) -> None:
        self.stream = stream
        self.kind = kind_of(stream)
        self._book = _workbook(stream) if self.kind == XLSX else None

    def raw_rows(self, how: TableFormat) -> Iterator[TableRow]:
        """Yield all rows, including titles and headers."""
        if self._book is not None:
            return self._book.rows(how.sheet)
        return csv_rows(self.stream, how.encoding, how.delimiter)

    def rows(self, how: TableFormat, headers: Headers) -> Iterator[TableRow]:
        """Yield the rows below the headers that aren't empty."""
        for row in self.raw_rows(how):
            if row.line > headers.line and not all(map(is_empty, row.cells)):
                yield row

    def sheet_names(self) -> list[str]:
        """Return the names of the visible sheets, none of a CSV file."""
        return [] if self._book is None else self._book.sheet_names()

    def sheet_name(self, name: str | None) -> str | None:
        """Return the name of the sheet that is read, None for a CSV file."""
        return None if self._book is None else self._book.sheet_name(name)


def _workbook(stream: BinaryIO) -> Workbook:
    """Open a workbook."""
    # It takes megabytes, and imports of packages don't need it.
    from importer.tables.xlsx_rows import Workbook  # noqa: PLC0415 - as said above

    return Workbook(stream)


def _letter(number: int) -> str:
    """Return the letters of a column, counted from 1, as workbooks name it."""
    from openpyxl.utils import get_column_letter  # noqa: PLC0415 - as said above

    letter: str = get_column_letter(number)
    return letter


def headers_in(row: TableRow | None, width: int) -> tuple[str, ...]:
    """Return the names of the columns: those without one have a letter, and equal ones
    a number."""
    cells = [] if row is None else list(row.cells)
    names: list[str] = []
    for number in range(max(len(cells), width)):
        cell = cells[number] if number < len(cells) else None
        name = " ".join(_shown(cell).split()) or _letter(number + 1)
        same, wanted = 1, name
        while name in names:
            same += 1
            name = f"{wanted} ({same})"
        names.append(name)
    return tuple(names)


def _shown(cell: Cell) -> str:
    try:
        return as_text(cell)
    except CellError:
        return ""


def headers_at(rows: Sequence[TableRow], line: int) -> Headers:
    """Return the headers in a line, by letters for line 0; raise TableError if there is
    none."""
    if line == 0:
        return Headers(
            headers_in(None, max((len(r.cells) for r in rows), default=0)), 0
        )
    for row in rows:
        if row.line >= line:
            names = headers_in(row, 0)
            while names and is_empty(row.cells[len(names) - 1]):
                names = names[:-1]
            return Headers(names, row.line)
    raise TableError(_("the table has no line %(line)s") % {"line": line})


def cell_format(how: TableFormat, zone: object = None) -> CellFormat:
    """Return how the texts of cells are read."""
    given = {} if zone is None else {"zone": zone}
    return CellFormat(how.decimal, how.date_format, **given)  # type: ignore[arg-type]
