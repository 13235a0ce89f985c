"""The rows of a CSV file: its delimiter, and its cells with line numbers."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import BinaryIO

import msgspec

from importer.csv_files import without_apostrophe
from importer.package.translation import gettext as _
from importer.tables.cells import Cell
from importer.tables.errors import TableError

DELIMITERS = (";", "\t", ",", "|")
_SAMPLE_LINES = 200
_SAMPLE = 1 << 16


class TableRow(msgspec.Struct, frozen=True):
    """A row of a table with its line, counted from one; a row of several lines has
    that of its first."""

    line: int
    cells: Sequence[Cell]


def is_delimiter(text: str) -> bool:
    """Return whether a text can divide cells."""
    return len(text) == 1 and text not in '"\r\n'


def csv_rows(stream: BinaryIO, encoding: str, delimiter: str) -> Iterator[TableRow]:
    """Yield the rows of a CSV file, including empty ones; raise TableError for a file
    that isn't one."""
    stream.seek(0)
    text = io.TextIOWrapper(stream, encoding=encoding, newline="")
    reader = csv.reader(text, delimiter=delimiter, strict=True)
    line = 1
    try:
        while True:
            try:
                cells = next(reader, None)
            except csv.Error as error:
                raise _unreadable(error, line) from None
            if cells is None:
                return
            if line > 1 or not _is_hint(cells):
                yield TableRow(
                    line,
                    [without_apostrophe(c) if c[:1] == "'" else c for c in cells],
                )
            line = reader.line_num + 1
    except UnicodeError:
        reason = _(
            "the text isn't in the encoding %(encoding)s; choose the one in which the "
            "file was saved"
        )
        raise TableError(reason % {"encoding": encoding}, line) from None
    finally:
        text.detach()


def _is_hint(cells: Sequence[str]) -> bool:
    """Return whether the first line only tells Excel the delimiter."""
    first = cells[0].lower() if cells else ""
    return first.startswith("sep=") and not any(cells[1:])


def _unreadable(error: csv.Error, line: int) -> TableError:
    said = str(error)
    if "unexpected end of data" in said or "larger than field limit" in said:
        return TableError(_("a quotation mark is never closed"), line)
    if "expected after" in said:
        reason = _(
            "after a closing quotation mark there must be the delimiter or the end of "
            "the line"
        )
        return TableError(reason, line)
    return TableError(_("the line can't be read as CSV"), line)


def delimiter_of(stream: BinaryIO, encoding: str) -> str:
    """Return the delimiter by which most lines have the same number of cells."""
    lines = list(_first_lines(stream, encoding))
    if lines and lines[0].lower().startswith("sep=") and len(lines[0].strip()) == 5:
        return lines[0][4]
    return max(DELIMITERS, key=lambda mark: _evenness(lines, mark))


def _first_lines(stream: BinaryIO, encoding: str) -> Iterable[str]:
    stream.seek(0)
    text = io.TextIOWrapper(stream, encoding=encoding, errors="replace", newline="")
    try:
        for _number, line in zip(range(_SAMPLE_LINES), text, strict=False):
            yield line[:_SAMPLE]
    finally:
        text.detach()


def _evenness(lines: list[str], delimiter: str) -> tuple[float, int]:
    """Return the share of rows with the usual number of cells, and that number."""
    widths: Counter[int] = Counter()
    reader = csv.reader(lines, delimiter=delimiter)
    try:
        for cells in reader:
            filled = bool("".join(cells).strip())
            widths[len(cells)] += filled
    except csv.Error:
        pass  # a value cut off by the end of the sample
    usual = max((w for w in widths if w > 1), key=lambda w: (widths[w], w), default=0)
    if not usual:
        return 0.0, 0
    return round(widths[usual] / widths.total(), 1), usual
