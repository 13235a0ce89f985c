"""Writing of CSV files: UTF-8, streamed, and safe against formulas in spreadsheets."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

CSV_CONTENT_TYPE = "text/csv; charset=utf-8"
# The byte order mark by which Excel recognises UTF-8.
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_FORMULA = re.compile(r"'*[=+\-@\t\r\n]")
_NUMBER = re.compile(r"[+-]?\d+(\.\d+)?", re.ASCII)
_AT_ONCE = 500


def csv_pieces(
    columns: Sequence[str], rows: Iterable[Iterable[Any]], delimiter: str = ","
) -> Iterator[bytes]:
    """Yield the lines of a CSV file: the column names, then the rows."""
    text = io.StringIO()
    writer = csv.writer(text, delimiter=delimiter)
    writer.writerow(harmless(name) for name in columns)
    for number, row in enumerate(rows, 1):
        writer.writerow(harmless(value) for value in row)
        if number % _AT_ONCE == 0:
            yield _taken(text)
    yield _taken(text)


def harmless(value: Any) -> Any:
    """Return a value, with an apostrophe before text that would start a formula.

    Numbers, including negative ones, are not changed. A text that has the apostrophe
    already gets another one, so that ``without_apostrophe`` returns the value.
    """
    if not isinstance(value, str) or not _FORMULA.match(value):
        return value
    return value if _NUMBER.fullmatch(value) else f"'{value}"


def without_apostrophe(text: str) -> str:
    """Return the value that ``harmless`` has made harmless, any other text as it is."""
    is_guarded = text.startswith("'") and _FORMULA.match(text)
    return text[1:] if is_guarded else text


def _taken(text: io.StringIO) -> bytes:
    piece = text.getvalue().encode()
    text.seek(0)
    text.truncate()
    return piece
