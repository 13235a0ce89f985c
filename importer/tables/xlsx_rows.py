"""The rows of a sheet of an XLSX workbook, read as a stream and within limits."""

from __future__ import annotations

import re
import warnings
import zipfile
from collections import deque
from collections.abc import Iterable, Iterator
from typing import Any, BinaryIO

import openpyxl
from openpyxl.cell.cell import ERROR_CODES

from importer.package.suggestions import did_you_mean
from importer.package.translation import gettext as _
from importer.tables.cells import Cell, ErrorCell
from importer.tables.csv_rows import TableRow
from importer.tables.errors import TableError

MAX_LINES = 1_048_576
MAX_COLUMNS = 1000
# Sheets are read as streams, all other parts are loaded as a whole.
_MAX_SHEETS = 1 << 30
_MAX_LOADED = 1 << 27
_MAX_ROW = 1 << 23
_PIECE = 1 << 18
_SHEET = re.compile(r"xl/worksheets/[^/]+\.xml", re.IGNORECASE)
_ROW = re.compile(rb"</?(?:[A-Za-z]\w*:)?row[\s/>]")
_NOT_WRITTEN = re.compile(rb"<!(?:DOCTYPE|ENTITY|\[CDATA\[)")
_ZEROS = re.compile("0{2,}")
# They are about what a reader of values doesn't need.
warnings.filterwarnings("ignore", module="openpyxl")


class Workbook:
    """An opened workbook, whose sheets can be read several times."""

    def __init__(self, stream: BinaryIO) -> None:
        _require_safe(stream)
        stream.seek(0)
        try:
            self._book = openpyxl.load_workbook(
                stream, read_only=True, data_only=True, keep_links=False
            )
        except Exception:  # noqa: BLE001 - a malformed workbook fails anywhere in openpyxl
            raise _malformed() from None
        self._first: Any = None

    def rows(self, name: str | None) -> Iterator[TableRow]:
        """Yield the rows of a sheet, by default the first visible one with a table;
        raise TableError for a sheet that can't be read."""
        sheet = self._sheet(name)
        sheet.reset_dimensions()
        for line, cells in enumerate(_guarded(sheet.iter_rows()), 1):
            if line > MAX_LINES or len(cells) > MAX_COLUMNS:
                reason = _(
                    "the sheet has more than %(lines)s lines or %(columns)s columns"
                )
                raise TableError(reason % {"lines": MAX_LINES, "columns": MAX_COLUMNS})
            yield TableRow(line, [_cell(cell) for cell in cells])

    def sheet_names(self) -> list[str]:
        """Return the names of the visible sheets."""
        sheets = self._book.worksheets
        return [str(s.title) for s in sheets if s.sheet_state == "visible"]

    def sheet_name(self, name: str | None) -> str:
        """Return the name of the sheet that is read."""
        return str(self._sheet(name).title)

    def _sheet(self, name: str | None) -> Any:
        if name:
            return self._named(name)
        if self._first is None:
            visible = [s for s in self._book.worksheets if s.sheet_state == "visible"]
            if not visible:
                raise TableError(_("the workbook has no visible sheet"))
            self._first = next(filter(_has_table, visible), visible[0])
        return self._first

    def _named(self, name: str) -> Any:
        for sheet in self._book.worksheets:
            if sheet.title.casefold() == name.casefold():
                return sheet
        reason = _("there is no sheet %(name)s") % {"name": f"“{name}”"}
        names = [sheet.title for sheet in self._book.worksheets]
        raise TableError(reason + did_you_mean(name, names))


def _cell(cell: Any) -> Cell:
    value: Cell = cell.value
    if value is None or type(value) is float:
        return value
    if type(value) is str:
        return ErrorCell(value) if value in ERROR_CODES else value
    if type(value) is int and _ZEROS.fullmatch(cell.number_format):
        return str(value).zfill(len(cell.number_format))  # as Excel shows a code
    return value


def _has_table(sheet: Any) -> bool:
    """Return whether a sheet has two rows of at least two cells near its top."""
    sheet.reset_dimensions()
    found = 0
    rows = _guarded(sheet.iter_rows(max_row=_PIECE, values_only=True))
    for cells in rows:
        found += sum(cell is not None for cell in cells[:MAX_COLUMNS]) > 1
        if found > 1:
            return True
    return False


def _guarded(rows: Iterable[Any]) -> Iterator[Any]:
    try:
        yield from rows
    except TableError:
        raise
    except Exception:  # noqa: BLE001 - a malformed sheet fails anywhere in openpyxl
        raise _malformed() from None


def _require_safe(stream: BinaryIO) -> None:
    """Refuse a workbook that unpacks to more than a reader can take."""
    stream.seek(0)
    try:
        with zipfile.ZipFile(stream) as archive:
            sheets = [i for i in archive.infolist() if _SHEET.fullmatch(i.filename)]
            parts = [i for i in archive.infolist() if _is_loaded(i)]
            if sum(i.file_size for i in sheets) > _MAX_SHEETS:
                raise _too_large()
            if sum(i.file_size for i in parts) > _MAX_LOADED:
                raise _too_large()
            for sheet in sheets:
                with archive.open(sheet) as xml:
                    _require_short_rows(xml)
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, OSError, EOFError):
        raise _malformed() from None
    except zipfile.zlib.error:  # type: ignore[attr-defined]
        raise _malformed() from None


def _is_loaded(part: zipfile.ZipInfo) -> bool:
    name = part.filename.lower()
    return name.endswith((".xml", ".rels")) and not _SHEET.fullmatch(name)


def _require_short_rows(xml: Any) -> None:
    """Refuse a sheet with a row that wouldn't fit in memory, or with declarations that
    no spreadsheet program writes."""
    tail, since = b"", 0
    for piece in iter(lambda: xml.read(_PIECE), b""):
        window = tail + piece
        if _NOT_WRITTEN.search(window):
            raise _malformed()
        rows = deque(_ROW.finditer(window), maxlen=1)
        since = len(window) - rows[0].end() if rows else since + len(piece)
        if since > _MAX_ROW:
            raise _too_large()
        tail = window[-64:]


def _too_large() -> TableError:
    return TableError(
        _("the workbook is too large when it is unpacked; save the sheet as CSV")
    )


def _malformed() -> TableError:
    return TableError(
        _(
            "the workbook can't be read: it is damaged, encrypted or not an XLSX file; "
            "open and save it in a spreadsheet program"
        )
    )
