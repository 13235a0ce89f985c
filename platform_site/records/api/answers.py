"""Rows in answers of the API: their properties, their version and their times."""

from __future__ import annotations

import functools
from collections.abc import Iterable
from datetime import datetime
from typing import Any

from django.utils import timezone

from importer.targets import ReferenceField, borrowed
from platform_site.records import wire
from platform_site.records.api.expansion import ExpandedRowSerializer, member_of
from platform_site.records.models import Record
from platform_site.records.serializers import RowStateSerializer

WireRows = list[dict[str, Any]]


def on_the_wire(model: type[Record], rows: Iterable[Any]) -> WireRows:
    """Return rows in wire form with their state, with one query for each part."""
    rows = [*rows]
    for part in model.parts:
        part.load(rows)
    with borrowed(wire.serializer_of(model)) as lent:
        return [
            {
                **lent.to_representation(row),
                "version": row.version,
                "createdAt": time_text(row.created),
                "modifiedAt": time_text(row.modified),
            }
            for row in rows
        ]


def time_text(at: datetime) -> str:
    """Return a time as in other properties: in the zone of the caller."""
    text = at.astimezone(timezone.get_current_timezone()).isoformat()
    return f"{text.removesuffix('+00:00')}Z" if text.endswith("+00:00") else text


@functools.cache
def answer_serializer(model: type[Record]) -> type[Any]:
    """Return the description of a model's rows in answers."""
    content = wire.serializer_of(model)

    class Described(with_expansions(content)):  # type: ignore[misc]
        def get_fields(self) -> dict[str, Any]:
            return {**super().get_fields(), **RowStateSerializer().get_fields()}

    return _named_like(content, Described)


@functools.cache
def with_expansions(content: type[Any]) -> type[Any]:
    """Return the description of rows or lines with the rows that `expand` adds."""

    class Expanded(content):  # type: ignore[misc]
        def get_fields(self) -> dict[str, Any]:
            fields: dict[str, Any] = {}
            for name, field in super().get_fields().items():
                fields[name] = field
                if isinstance(field, ReferenceField):
                    fields[member_of(name)] = ExpandedRowSerializer(
                        read_only=True,
                        allow_null=field.allow_null,
                        help_text=f"With `expand`: the row that `{name}` names.",
                    )
            return fields

    return _named_like(content, Expanded)


def _named_like(content: type[Any], made: type[Any]) -> type[Any]:
    # The component of the description is named after it.
    made.__name__, made.__doc__ = content.__name__, content.__doc__
    return made
