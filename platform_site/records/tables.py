"""Lists of business rows as tables: a column for each property, typed cells.

A reference has two columns, the key and the code of its row. A document has a line of
the table for each of its lines, with its own values repeated.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from typing import Any, Final

import msgspec
from django.db import models
from django.db.models import QuerySet

from importer.targets import LinesField, ReferenceField, borrowed
from platform_site.records import wire
from platform_site.records.models import Record
from platform_site.records.row_lookup import may_see

_AT_ONCE: Final = 1000


class Column(msgspec.Struct, frozen=True):
    """A column: its name, the property behind it and its field.

    ``part`` is the property with the lines, for properties of lines; ``coded`` columns
    have the codes of the rows that a reference names.
    """

    name: str
    source: str
    field: Any
    part: str = ""
    coded: bool = False


def columns_of(model: type[Record]) -> list[Column]:
    """Return the columns of a model's table; those of lines come last."""
    return columns_of_fields(wire.fields_of(model))


def columns_of_fields(fields: Mapping[str, Any]) -> list[Column]:
    """Return the columns of a table with other fields."""
    lines = [name for name, field in fields.items() if isinstance(field, LinesField)]
    own = {name: field for name, field in fields.items() if name not in lines}
    return [
        *_columns(own),
        *(column for n in lines for column in _columns(fields[n].line().fields, n)),
    ]


def table_rows(
    model: type[Record], columns: Iterable[Column], rows: QuerySet[Any]
) -> Iterator[list[Any]]:
    """Yield the cells of a table in wire form, with a few queries per thousand rows."""

    def on_the_wire(window: list[Any]) -> list[dict[str, Any]]:
        for each in model.parts:
            each.load(window)
        with borrowed(wire.serializer_of(model)) as lent:
            return [lent.to_representation(row) for row in window]

    return cells(columns, rows, on_the_wire)


def cells(
    columns: Iterable[Column],
    rows: QuerySet[Any],
    on_the_wire: Callable[[list[Any]], list[dict[str, Any]]],
) -> Iterator[list[Any]]:
    """Yield the cells of a table; ``on_the_wire`` returns rows in wire form."""
    listed = list(columns)
    part = next((column.part for column in listed if column.part), "")
    found = rows.iterator(chunk_size=_AT_ONCE)
    while window := list(islice(found, _AT_ONCE)):
        values = on_the_wire(window)
        codes = _codes(listed, values, part)
        for row in values:
            for line in (row[part] if part else ()) or [{}]:
                yield [_cell(column, row, line, codes) for column in listed]


def _columns(fields: Mapping[str, Any], part: str = "") -> Iterator[Column]:
    before = f"{part}." if part else ""
    for name, field in fields.items():
        yield Column(f"{before}{name}", name, field, part)
        if isinstance(field, ReferenceField) and hasattr(field.to, "code"):
            coded = f"{before}{name.removesuffix('Id')}.code"
            yield Column(coded, name, field, part, coded=True)


def _cell(
    column: Column,
    row: Mapping[str, Any],
    line: Mapping[str, Any],
    codes: Mapping[tuple[type[models.Model], Any], str],
) -> Any:
    value = (line if column.part else row).get(column.source)
    return codes.get((column.field.to, value)) if column.coded else value


def _codes(
    columns: Iterable[Column], rows: Iterable[Mapping[str, Any]], part: str
) -> dict[tuple[type[models.Model], Any], str]:
    """Return the codes of the rows that a window refers to, as far as the user may see
    them, with one query per table."""
    keys: dict[type[models.Model], set[Any]] = {}
    coded = [column for column in columns if column.coded]
    for row in rows:
        for column in coded:
            for place in row[part] if column.part else (row,):
                keys.setdefault(column.field.to, set()).add(place[column.source])
    found = {}
    for model, named in keys.items():
        if may_see(model):
            asked = model._base_manager.filter(pk__one_of=list(named - {None}))
            for key, code in asked.values_list("pk", "code"):
                found[model, key] = code
    return found
