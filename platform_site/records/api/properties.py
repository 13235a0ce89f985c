"""The filter parameters of lists, derived from the wire form of a model."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from django.db.models import Q
from django.utils.translation import gettext as _
from rest_framework import serializers
from rest_framework.exceptions import ValidationError

from importer.targets import ReferenceField
from platform_site.records import wire
from platform_site.records.models import Record

YES_OR_NO: Final = {"true": True, "false": False}
_WHOLE: Final = re.compile(r"-?[0-9]{1,18}")
_NULL: Final = "null"
# Further parameters for ordered values.
_BOUNDS: Final = {"From": "gte", "To": "lte"}
_DECIMAL: Final = r"^-?[0-9]{1,14}(\.[0-9]{1,4})?$"


@dataclass(frozen=True, slots=True)
class Property:
    """One filter parameter: name, column, accepted values and lookup."""

    name: str
    source: str
    read: Callable[[str], Any]
    schema: dict[str, Any] = field(default_factory=dict)
    lookup: str = "exact"
    nullable: bool = False

    @property
    def help(self) -> str:
        """Return the description of the parameter."""
        what = {"exact": "Only rows with this value", "gte": "From this value on"}
        said = what.get(self.lookup, "Up to this value")
        return (
            f"{said}; {_NULL}: only rows without one." if self.nullable else said + "."
        )

    def condition(self, text: str) -> Q:
        """Return the condition for a value; raise ValidationError for an invalid
        one."""
        if self.nullable and text == _NULL:
            return Q(**{f"{self.source}__isnull": True})
        return Q(**{f"{self.source}__{self.lookup}": self.read(text)})


@functools.cache
def properties_of(model: type[Record]) -> tuple[Property, ...]:
    """Return the filter parameters of a model."""
    fields = wire.fields_of(model).items()
    return tuple(each for name, field in fields for each in _properties(name, field))


def _properties(name: str, field: Any) -> Iterator[Property]:
    source = str(field.source)
    match field:
        case ReferenceField():
            schema = {"type": "integer", "minimum": 0, "maximum": 10**18 - 1}
            empty = bool(field.allow_null)
            if empty:
                schema = {"type": "string", "pattern": f"^([0-9]{{1,18}}|{_NULL})$"}
            yield Property(name, source, _key, schema, nullable=empty)
        case serializers.BooleanField():
            yield Property(name, source, _yes_or_no, {"type": "boolean"})
        case serializers.ChoiceField():
            schema = {"type": "string", "enum": list(field.choices)}
            yield Property(name, source, field.to_internal_value, schema)
        case serializers.IntegerField():
            limit = 10**18 - 1
            schema = {"type": "integer", "minimum": -limit, "maximum": limit}
            yield Property(name, source, _whole, schema)
        case serializers.DecimalField():
            schema = {"type": "string", "pattern": _DECIMAL}
            yield from _with_bounds(name, source, _strict(field, _DECIMAL), schema)
        case serializers.DateTimeField():
            schema = {"type": "string", "format": "date-time"}
            yield from _with_bounds(name, source, field.to_internal_value, schema)
        case serializers.DateField():
            schema = {"type": "string", "format": "date"}
            yield from _with_bounds(name, source, field.to_internal_value, schema)
        case serializers.CharField():
            yield Property(name, source, field.to_internal_value, {"type": "string"})


def _with_bounds(
    name: str, source: str, read: Callable[[str], Any], schema: dict[str, Any]
) -> Iterator[Property]:
    yield Property(name, source, read, schema)
    for suffix, lookup in _BOUNDS.items():
        yield Property(f"{name}{suffix}", source, read, schema, lookup)


def _strict(field: Any, pattern: str) -> Callable[[str], Any]:
    def read(text: str) -> Any:
        if not re.fullmatch(pattern, text):
            field.fail("invalid")
        return field.to_internal_value(text)

    return read


def _key(text: str) -> int:
    key = _whole(text)
    if key < 0:
        raise ValidationError([_("Enter the id of a row.")])
    return key


def _whole(text: str) -> int:
    if not _WHOLE.fullmatch(text):
        raise ValidationError([_("Enter a whole number.")])
    return int(text)


def _yes_or_no(text: str) -> bool:
    if text not in YES_OR_NO:
        raise ValidationError([_("Enter true or false.")])
    return YES_OR_NO[text]
