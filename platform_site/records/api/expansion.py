"""The parameter `expand` of rows and lists: code and name of the rows that references
name, beside their ids."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator
from typing import Any, Final

import msgspec
from django.db import models
from django.utils.translation import gettext as _
from rest_framework import serializers
from rest_framework.exceptions import ErrorDetail, ValidationError

from importer import did_you_mean, printable
from importer.targets import IntegerField, LinesField, ReferenceField, authorise
from platform_site.accounts.scopes import refuse_beyond_names
from platform_site.records import wire
from platform_site.records.models import Record

EXPAND: Final = "expand"
_NAMING: Final = ("code", "name")
_NOTHING: Final = dict.fromkeys(_NAMING)


class ExpandedRowSerializer(serializers.Serializer[Any]):
    """The row that a reference names; rows without a code or name have null there."""

    id = IntegerField()
    code = serializers.CharField(allow_null=True)
    name = serializers.CharField(allow_null=True)


class Expandable(msgspec.Struct, frozen=True):
    """A reference that can be expanded: its property, and that with the row.

    ``part`` is the property with the lines, for references of lines.
    """

    name: str
    to: type[models.Model]
    part: str = ""

    @property
    def member(self) -> str:
        """Return the name of the property with the row: `counterparty`."""
        return member_of(self.name)


def member_of(name: str) -> str:
    """Return the property beside a reference that has the row it names."""
    return name.removesuffix("Id")


@functools.cache
def expandable(model: type[Record]) -> dict[str, Expandable]:
    """Return the references of a model by their paths, such as `lines.itemId`."""
    return dict(_references(wire.fields_of(model)))


def _references(fields: Any, part: str = "") -> Iterator[tuple[str, Expandable]]:
    for name, field in fields.items():
        if isinstance(field, ReferenceField):
            path = f"{part}.{name}" if part else name
            yield path, Expandable(name, field.to, part)
        elif isinstance(field, LinesField):
            yield from _references(field.line().fields, name)


def asked_for(model: type[Record], text: str | None, user: Any) -> list[Expandable]:
    """Return the references to expand; raise ValidationError for others, and NotAllowed
    if the user may not view their rows."""
    if text is None:
        return []
    known = expandable(model)
    names = list(dict.fromkeys(text.split(",")))
    if unknown := [name for name in names if name not in known]:
        raise ValidationError({EXPAND: [_unknown(name, known) for name in unknown]})
    found = [known[name] for name in names]
    for each in found:
        refuse_beyond_names(user, each.to)
        authorise(user, each.to, "view")
    return found


def _unknown(name: str, known: Iterable[str]) -> ErrorDetail:
    sentence = _('"%(name)s" can\'t be expanded.') % {"name": printable(name)}
    hint = did_you_mean(name, known, sentence=True)
    return ErrorDetail(sentence + hint, "not-a-choice")


def expand(rows: list[dict[str, Any]], references: Iterable[Expandable]) -> None:
    """Add the rows that references name, with one query per table."""
    places = [
        (each, place)
        for each in references
        for row in rows
        for place in (row[each.part] if each.part else (row,))
    ]
    keys: dict[type[models.Model], set[Any]] = {}
    for each, place in places:
        keys.setdefault(each.to, set()).add(place[each.name])
    found = {model: _named(model, named - {None}) for model, named in keys.items()}
    for each, place in places:
        place[each.member] = found[each.to].get(place[each.name])


def _named(model: type[models.Model], keys: set[Any]) -> dict[Any, dict[str, Any]]:
    if not keys:
        return {}
    known = {column.name for column in model._meta.concrete_fields}
    columns = [name for name in _NAMING if name in known]
    rows = model._base_manager.filter(pk__one_of=sorted(keys)).values("id", *columns)
    return {row["id"]: {"id": row["id"], **_NOTHING, **row} for row in rows}
