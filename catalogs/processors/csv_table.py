"""A reader of uploaded CSV files that keeps line numbers. An invalid file is refused as
a whole, with every line to correct (OPEN-73)."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final

from django.utils.translation import gettext as _, ngettext

from importer import short
from platform_site.processing.errors import InvalidStateError

MAX_LISTED: Final = 50


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a table: its trimmed values by column, and its first line."""

    line: int
    values: Mapping[str, str]


def read_rows(text: str, header: Sequence[str], *, key: str, given: str) -> list[Row]:
    """Return the rows of a file with exactly these columns.

    Raise InvalidStateError with every wrong line: a wrong number of values, no value in
    the column `key`, or a duplicate one. `given` is the input to which the sentences
    belong.
    """
    rows: list[Row] = []
    wrong: list[str] = []
    lines: dict[str, int] = {}
    for line, cells in _lines(text, header, given, wrong):
        if len(cells) != len(header):
            wrong.append(_columns(line, len(cells), header))
            continue
        values = dict(zip(header, (cell.strip() for cell in cells), strict=True))
        found = values[key]
        if not found:
            message = _("Line %(line)s has no %(column)s.")
            wrong.append(message % {"line": line, "column": key})
        elif found in lines:
            message = _(
                "Line %(line)s has the same %(column)s as line %(first)s: “%(value)s”."
            )
            names = {"column": key, "value": short(found).strip('"')}
            wrong.append(message % {"line": line, "first": lines[found], **names})
        else:
            lines[found] = line
            rows.append(Row(line, values))
    if wrong:
        raise InvalidStateError(*_bounded(wrong), given=given)
    return rows


def _lines(
    text: str, header: Sequence[str], given: str, wrong: list[str]
) -> Iterator[tuple[int, list[str]]]:
    """Yield each line after the first that isn't blank, with its line number."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=";", strict=True)
    line = 1
    try:
        first = next(reader, None)
        if first != list(header):
            raise InvalidStateError(_not_the_header(text, header), given=given)
        line = reader.line_num + 1
        for cells in reader:
            if len(cells) > 1 or "".join(cells).strip():
                yield line, cells
            # A quoted value may span lines; a row has the number of its first line.
            line = reader.line_num + 1
    except csv.Error:
        # The rest may be part of a quoted value.
        message = _(
            "Line %(line)s can't be read as CSV: a quotation mark is missing, or a "
            "value is too long. The lines after it were not checked."
        )
        wrong.append(message % {"line": line})


def _not_the_header(text: str, header: Sequence[str]) -> str:
    wanted = ";".join(header)
    first = text.partition("\n")[0].strip()
    if not first:
        message = _("The first line of the file must be %(header)s, but it is empty.")
        return message % {"header": wanted}
    message = _("The first line of the file must be %(header)s, but it is %(first)s.")
    return message % {"header": wanted, "first": short(first).strip('"')}


def _columns(line: int, count: int, header: Sequence[str]) -> str:
    names = ";".join(header)
    message = ngettext(
        "Line %(line)s has %(count)s value instead of %(wanted)s (%(header)s).",
        "Line %(line)s has %(count)s values instead of %(wanted)s (%(header)s).",
        count,
    )
    wanted = {"wanted": len(header), "header": names}
    return message % {"line": line, "count": count, **wanted}


def _bounded(sentences: list[str]) -> Iterator[str]:
    """Yield the first sentences, then the number of those left out."""
    yield from islice(sentences, MAX_LISTED)
    more = len(sentences) - MAX_LISTED
    if more > 0:
        yield ngettext(
            "%(count)s more line is wrong.", "%(count)s more lines are wrong.", more
        ) % {"count": more}
