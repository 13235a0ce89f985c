"""The choices of the page for one table: formats, rules and values of properties."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import msgspec
from django.utils.translation import gettext as _

from importer.package.fields import FieldKind, FieldSpec
from importer.package.step_policies import OnMissing, OnUserModified
from importer.tables.chosen import ChosenTable
from importer.tables.csv_rows import DELIMITERS
from importer.tables.description import TableDescription, TableFormat
from importer.tables.detection import DATES, SLASHES
from importer.tables.labels import codes_of
from importer.tables.reading import CSV
from importer.tables.text_encoding import ENCODINGS

Choice = tuple[str, str]
_UNICODE = ("utf-8", "utf-16")
_DATES = (*DATES, *SLASHES[0], *SLASHES[1])


class Select(msgspec.Struct, frozen=True):
    """A field of the form that offers choices, each with its value and its text."""

    name: str
    label: str
    value: str
    choices: Sequence[Choice]


def format_selects(
    how: TableFormat, chosen: ChosenTable, sheets: Sequence[str]
) -> list[Select]:
    """Return how a file is read, to choose from; what isn't chosen is recognised."""
    given = chosen.how or TableDescription("", (), ())
    selects = []
    if how.format == CSV:
        encodings = _same((*_UNICODE, *ENCODINGS))
        marks = {**dict(_same(DELIMITERS)), "\t": _("tab")}
        selects += [
            _select("encoding", _("Encoding"), given.encoding, how.encoding, encodings),
            _select(
                "delimiter",
                _("Delimiter"),
                given.delimiter,
                marks.get(how.delimiter, how.delimiter),
                marks.items(),
            ),
        ]
    elif len(sheets) > 1:
        selects.append(
            _select("sheet", _("Sheet"), given.sheet, how.sheet, _same(sheets))
        )
    decimals = {",": _("comma (1,50)"), ".": _("point (1.50)")}
    return [
        *selects,
        _select(
            "decimal",
            _("Decimal mark"),
            given.decimal,
            decimals[how.decimal],
            decimals.items(),
        ),
        _select(
            "date_format",
            _("Form of dates"),
            given.date_format,
            how.date_format,
            _same(_DATES),
        ),
    ]


def rule_selects(chosen: ChosenTable) -> list[Select]:
    """Return what happens to rows that changed here or are no longer in the table."""
    given = chosen.how or TableDescription("", (), ())
    modified = [
        (OnUserModified.SKIP.value, _("stay as they are")),
        (OnUserModified.MERGE.value, _("get what changed in the table")),
        (OnUserModified.OVERWRITE.value, _("get the values of the table")),
    ]
    missing = [
        (OnMissing.KEEP.value, _("stay")),
        (OnMissing.REPORT.value, _("are reported")),
        (OnMissing.DELETE.value, _("are deleted")),
    ]
    return [
        Select(
            "on_user_modified",
            _("Rows that users changed"),
            given.on_user_modified or OnUserModified.SKIP.value,
            modified,
        ),
        Select(
            "on_missing",
            _("Rows that the table no longer has"),
            given.on_missing or OnMissing.KEEP.value,
            missing,
        ),
    ]


def values_of(field: FieldSpec) -> list[Choice]:
    """Return the values that a property may have, none if they can't be listed."""
    if field.kind is FieldKind.REFERENCE:
        return _same(codes_of(field.to))
    if field.kind is FieldKind.BOOLEAN:
        return [("true", _("yes")), ("false", _("no"))]
    return _same(field.choices)


def _select(
    name: str,
    label: str,
    given: str | None,
    recognised: Any,
    choices: Iterable[Choice],
) -> Select:
    first = _("recognised") if given else _("recognised: %s") % recognised
    listed = [("", first), *choices]
    if given and given not in dict(listed):
        listed.append((given, given))
    return Select(name, label, given or "", listed)


def _same(values: Iterable[str]) -> list[Choice]:
    return [(value, value) for value in values]
