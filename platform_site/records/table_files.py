"""Tables of business rows as files: CSV for programs, XLSX with typed cells.

Both are written to a temporary file first: a slow client then holds no query open, and
gets no half of a file.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime
from decimal import Decimal
from typing import Any, BinaryIO, Final, cast

from django.db.models import QuerySet
from django.http import FileResponse
from django.utils.translation import gettext as _
from rest_framework import serializers

from importer import CSV_CONTENT_TYPE, csv_pieces
from platform_site.records.errors import Problem, Refusal
from platform_site.records.models import Record
from platform_site.records.tables import Column, columns_of, table_rows

XLSX_CONTENT_TYPE: Final = (
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
)
# The limits of a sheet; text that is longer would be left out without a word.
_MOST_ROWS: Final = 1_048_576
_LONGEST_TEXT: Final = 32_767
# Earlier days have no number in a sheet.
_FIRST_YEAR: Final = 1900
_FORMATS: Final = {date: "yyyy-mm-dd", datetime: "yyyy-mm-dd hh:mm:ss"}
_MARK: Final = b"\xef\xbb\xbf"


def table_response(
    model: type[Record], rows: QuerySet[Any], kind: str, *, marked: bool = False
) -> FileResponse:
    """Return the response with all rows of a list as ``csv`` or ``xlsx``.

    If ``marked``, CSV begins with the byte order mark by which Excel knows UTF-8.
    """
    columns = columns_of(model)
    lines = table_rows(model, columns, rows)
    name = f"{model.catalog_name}.{kind}"
    return file_response(name, columns, lines, marked=marked)


def file_response(
    name: str,
    columns: Sequence[Column],
    rows: Iterable[Sequence[Any]],
    *,
    marked: bool = True,
) -> FileResponse:
    """Return the response with a table of any rows; the end of its name is its kind."""
    kind = name.rpartition(".")[2]
    write, content_type = _KINDS[kind]
    file = cast(BinaryIO, tempfile.TemporaryFile())  # noqa: SIM115 - the response closes it
    try:
        file.write(_MARK if marked and kind == "csv" else b"")
        write(file, columns, rows)
    except BaseException:
        file.close()
        raise
    file.seek(0)
    return FileResponse(
        file, as_attachment=True, filename=name, content_type=content_type
    )


def _csv(
    file: BinaryIO, columns: Sequence[Column], rows: Iterable[Sequence[Any]]
) -> None:
    """Write a table with the values of the API."""
    lines = (map(_text, row) for row in rows)
    for piece in csv_pieces([column.name for column in columns], lines):
        file.write(piece)


def _text(value: Any) -> Any:
    """Return the value of a cell as in JSON."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return "" if value is None else value


def _xlsx(
    file: BinaryIO, columns: Sequence[Column], rows: Iterable[Sequence[Any]]
) -> None:
    """Write a table with one sheet, whose texts are never formulas or links."""
    # Megabytes that only this export needs.
    from xlsxwriter import Workbook  # noqa: PLC0415 - as said above

    book = Workbook(
        file,
        {
            "constant_memory": True,
            "strings_to_formulas": False,
            "strings_to_urls": False,
            "strings_to_numbers": False,
        },
    )
    with book:
        formats = {
            kind: book.add_format({"num_format": f}) for kind, f in _FORMATS.items()
        }
        sheet = book.add_worksheet()
        sheet.freeze_panes(1, 0)
        kinds = [_kind_of(column.field) for column in columns]
        for place, column in enumerate(columns):
            sheet.write_string(0, place, column.name)
        for number, row in enumerate(rows, 1):
            if number >= _MOST_ROWS:
                sentence = _("A sheet has at most %(most)s rows; use CSV, or filter.")
                raise Refusal([Problem("format", sentence % {"most": _MOST_ROWS})])
            for place, value in enumerate(row):
                if value not in (None, ""):
                    kind = str if columns[place].coded else kinds[place]
                    _put(sheet, (number, place), _typed(kind, value), formats)


def _kind_of(field: Any) -> type[Any]:
    """Return the type of a column's cells."""
    for cls, kind in _TYPES:
        if isinstance(field, cls):
            return kind
    return str


def _typed(kind: type[Any], value: Any) -> Any:
    """Return the value of a cell; a text if a cell can't have it exactly."""
    if kind is datetime:
        return datetime.fromisoformat(value).replace(tzinfo=None)
    if kind is date:
        return date.fromisoformat(value)
    if kind is Decimal:
        number = float(value)
        return number if Decimal(repr(number)) == Decimal(value) else value
    return value


def _put(
    sheet: Any, place: tuple[int, int], value: Any, formats: Mapping[Any, Any]
) -> None:
    if isinstance(value, bool):
        sheet.write_boolean(*place, value)
    elif isinstance(value, (int, float)):
        sheet.write_number(*place, value)
    elif isinstance(value, date) and value.year >= _FIRST_YEAR:
        sheet.write_datetime(*place, value, formats[type(value)])
    elif len(text := str(value)) <= _LONGEST_TEXT:
        sheet.write_string(*place, text)
    else:
        sentence = _(
            "Row %(row)s has a text of more than %(most)s characters, the most that a "
            "cell of a sheet can have; use CSV."
        )
        words = {"row": place[0], "most": _LONGEST_TEXT}
        raise Refusal([Problem("format", sentence % words)])


# The order matters: a boolean field is also one of the others.
_TYPES: Final[tuple[tuple[type[Any], type[Any]], ...]] = (
    (serializers.BooleanField, bool),
    (serializers.IntegerField, int),
    (serializers.DecimalField, Decimal),
    (serializers.DateTimeField, datetime),
    (serializers.DateField, date),
)
_KINDS: Final = {"csv": (_csv, CSV_CONTENT_TYPE), "xlsx": (_xlsx, XLSX_CONTENT_TYPE)}
