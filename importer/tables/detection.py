"""What a file says about itself: encoding, delimiter, the line of the headers, the
decimal mark and the form of dates."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import islice

import msgspec

from importer.package.fields import FieldKind, FieldSpec, TargetSpec
from importer.package.translation import gettext as _
from importer.tables.cells import (
    ISO,
    Cell,
    CellFormat,
    is_empty,
    read_date,
    read_number,
    says_yes_or_no,
)
from importer.tables.csv_rows import TableRow, delimiter_of
from importer.tables.description import TableDescription, TableFormat, field_of
from importer.tables.errors import TableError
from importer.tables.mapping import words_of
from importer.tables.reading import CSV, Headers, TableFile, headers_at
from importer.tables.text_encoding import encoding_of, has_utf8_mark

_SAMPLE = 1000
# Above the headers there may be titles, an address and a date.
_MOST_TITLES = 50
DATES = ("DD.MM.YYYY", "DD.MM.YY", ISO, "YYYY/MM/DD", "DD-MM-YYYY", "YYYY.MM.DD")
SLASHES = ("DD/MM/YYYY", "DD/MM/YY"), ("MM/DD/YYYY", "MM/DD/YY")
_NUMBERS = (FieldKind.DECIMAL, FieldKind.INTEGER)
_MOMENTS = (FieldKind.DATE, FieldKind.DATE_TIME)
_COMMA, _POINT = CellFormat(decimal=","), CellFormat(decimal=".")


class FoundTable(msgspec.Struct, frozen=True):
    """How a file is read, its headers, and its first rows below them."""

    how: TableFormat
    headers: Headers
    sample: Sequence[TableRow]


def find_table(
    file: TableFile, given: TableDescription | None, words: Collection[str]
) -> FoundTable:
    """Return the table in a file; what the description gives isn't detected.

    ``words`` are names that headers may have. Decimal mark and form of dates are still
    those of the description, or the usual ones.
    """
    how = _file_format(file, given)
    rows = list(islice(file.raw_rows(how), _SAMPLE))
    if not any(_filled(row) for row in rows):
        raise TableError(_("the table is empty"))
    line = given.header_row if given is not None else None
    if line is None:
        line = _header_line(rows, words)
    headers = headers_at(rows, line)
    sample = [row for row in rows if row.line > headers.line and _filled(row)]
    how = msgspec.structs.replace(how, header_row=headers.line)
    return FoundTable(how, headers, sample)


def _file_format(file: TableFile, given: TableDescription | None) -> TableFormat:
    encoding = delimiter = ""
    if file.kind == CSV:
        encoding = (given and given.encoding) or ""
        # The mark leaves no doubt, and corrected tables of failed rows have it.
        if not encoding or has_utf8_mark(file.stream):
            encoding = encoding_of(file.stream)
        delimiter = (given and given.delimiter) or delimiter_of(file.stream, encoding)
    sheet = None if given is None else given.sheet
    return TableFormat(
        format=file.kind,
        encoding=encoding,
        delimiter=delimiter,
        decimal=(given and given.decimal) or "",
        date_format=(given and given.date_format) or "",
        sheet=file.sheet_name(sheet),
    )


def _filled(row: TableRow) -> int:
    return sum(not is_empty(cell) for cell in row.cells)


def _header_line(rows: Sequence[TableRow], words: Collection[str]) -> int:
    """Return the line of the headers: the one with the most names that are known.

    Without any it is the first of as many texts as most rows have cells.
    """
    top = [row for row in rows if _filled(row)][:_MOST_TITLES]
    known = [(sum(_is_known(cell, words) for cell in row.cells), row) for row in top]
    most = max(count for count, _row in known)
    if most:
        # Of two equal ones the upper is the header, the lower a row of data.
        return next(row.line for count, row in known if count == most)
    width = sorted(map(_filled, top))[len(top) // 2]
    for row in top:
        texts = [cell for cell in row.cells if not is_empty(cell)]
        if len(texts) >= width and all(_is_title(cell) for cell in texts):
            return row.line
    return top[0].line


def _is_known(cell: Cell, words: Collection[str]) -> bool:
    return isinstance(cell, str) and words_of(cell) in words


def _is_title(cell: Cell) -> bool:
    return isinstance(cell, str) and not any(char.isdigit() for char in cell)


def with_marks(
    found: FoundTable, spec: TargetSpec, columns: Iterable[tuple[int, str]]
) -> TableFormat:
    """Return the format with decimal mark and form of dates, which the texts of the
    columns of numbers and dates show. ``columns`` are places and properties."""
    how = found.how
    of_kind: dict[FieldKind, list[int]] = {}
    for place, name in columns:
        of_kind.setdefault(field_of(spec, name).kind, []).append(place)
    numbers = _texts(found.sample, [p for k in _NUMBERS for p in of_kind.get(k, ())])
    moments = _texts(found.sample, [p for k in _MOMENTS for p in of_kind.get(k, ())])
    decimal = how.decimal or _decimal_mark(numbers, how)
    american = decimal == "." and (how.delimiter in ("", ",", "\t"))
    date_format = how.date_format or _date_format(list(moments), american=american)
    return msgspec.structs.replace(how, decimal=decimal, date_format=date_format)


def plausible(sample: Sequence[TableRow], place: int, field: FieldSpec) -> bool:
    """Return whether most cells of a column can be values of a property."""
    cells = [row.cells[place] for row in sample if place < len(row.cells)]
    filled = [cell for cell in cells if not is_empty(cell)]
    return sum(_can_be(cell, field) for cell in filled) * 2 >= len(filled)


def _can_be(cell: Cell, field: FieldSpec) -> bool:
    if not isinstance(cell, str):
        return field.kind is not FieldKind.CHOICE
    if field.kind in _NUMBERS:
        return any(read_number(cell, how) is not None for how in (_COMMA, _POINT))
    if field.kind in _MOMENTS:
        forms = (*DATES, *SLASHES[0], *SLASHES[1])
        return any(read_date(cell, form) is not None for form in forms)
    if field.kind is FieldKind.CHOICE:
        return cell.strip().casefold() in map(str.casefold, field.choices)
    if field.kind is FieldKind.BOOLEAN:
        return says_yes_or_no(cell)
    return True


def _texts(sample: Iterable[TableRow], places: Collection[int]) -> Iterator[str]:
    for row in sample:
        for place in places:
            cell = row.cells[place] if place < len(row.cells) else None
            if isinstance(cell, str) and not is_empty(cell):
                yield cell


def _decimal_mark(texts: Iterable[str], how: TableFormat) -> str:
    """Return the mark with which more texts are numbers; most don't tell."""
    comma = point = 0
    for text in texts:
        comma += read_number(text, _COMMA) is not None
        point += read_number(text, _POINT) is not None
    if comma == point:
        return "," if how.delimiter == ";" else "."
    return "," if comma > point else "."


def _date_format(texts: list[str], *, american: bool) -> str:
    european, slashes = SLASHES
    both = (*slashes, *european) if american else (*european, *slashes)
    # Dates of this form are read in any case.
    others = [text for text in texts if read_date(text, ISO) is None]
    if texts and not others:
        return ISO
    return max(
        (*DATES, *both),
        key=lambda form: sum(read_date(text, form) is not None for text in others),
    )
