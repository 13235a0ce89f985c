"""The filter parameters of lists, derived from the wire form of a model."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext as _
from rest_framework import serializers
from rest_framework.exceptions import ValidationError

from importer.targets import DateTimeField, ReferenceField, TextField, authorise
from platform_site.records import wire
from platform_site.records.models import Record
from platform_site.records.row_lookup import has_code
from platform_site.records.serializers import RowStateSerializer

YES_OR_NO: Final = {"true": True, "false": False}
_WHOLE: Final = re.compile(r"-?[0-9]{1,18}")
_NULL: Final = "null"
# Further parameters for ordered values, and for texts.
_BOUNDS: Final = {"From": "gte", "To": "lte"}
_PARTS_OF_TEXTS: Final = {"Contains": "icontains", "StartsWith": "istartswith"}
_TEXT: Final = {"type": "string"}
_TIME: Final = {"type": "string", "format": "date-time"}
_DECIMAL: Final = r"^-?[0-9]{1,14}(\.[0-9]{1,4})?$"
# As many as a page has rows.
MOST_VALUES: Final = 1000
_LISTS: Final = ("one_of", "in")
_HELP: Final = {
    "exact": "Only rows with this value",
    **dict.fromkeys(_LISTS, "Only rows with one of these values, with commas between"),
    "gte": "From this value on",
    "lte": "Up to this value",
    "icontains": "Only rows with this text in it, in capitals or not",
    "istartswith": "Only rows that begin with this text, in capitals or not",
}


@dataclass(frozen=True, slots=True)
class Property:
    """One filter parameter: name, column, accepted values and lookup."""

    name: str
    source: str
    read: Callable[[str], Any]
    schema: dict[str, Any] = field(default_factory=dict)
    lookup: str = "exact"
    nullable: bool = False
    # The model whose rows the caller must be allowed to view.
    viewed: type[models.Model] | None = None

    @property
    def help(self) -> str:
        """Return the description of the parameter."""
        said = _HELP[self.lookup]
        if self.viewed is not None:
            said = "Only rows that refer to the one with this code"
        return (
            f"{said}; {_NULL}: only rows without one." if self.nullable else said + "."
        )

    def condition(self, text: str, user: Any = None) -> Q:
        """Return the condition for a value; raise ValidationError for an invalid
        one, NotAllowed if a user may not view the rows that it is about."""
        if self.viewed is not None and user is not None:
            authorise(user, self.viewed, "view")
        if self.lookup in _LISTS:
            return self._one_of(text.split(","))
        if self.nullable and text == _NULL:
            return Q(**{f"{self.source}__isnull": True})
        return Q(**{f"{self.source}__{self.lookup}": self.read(text)})

    def _one_of(self, texts: list[str]) -> Q:
        if len(texts) > MOST_VALUES:
            sentence = _("Send at most %(most)s values, not %(count)s.")
            words = {"most": MOST_VALUES, "count": len(texts)}
            raise ValidationError([sentence % words])
        empty = self.nullable and _NULL in texts
        values = [self.read(text) for text in texts if not empty or text != _NULL]
        found = Q(**{f"{self.source}__{self.lookup}": values})
        return found | Q(**{f"{self.source}__isnull": True}) if empty else found


@functools.cache
def properties_of(model: type[Record]) -> dict[str, Property]:
    """Return the filter parameters of a model by their names."""
    fields = wire.fields_of(model).items()
    found = [each for name, field in fields for each in _properties(name, field)]
    for name in ("created", "modified"):
        found += _bounds(name, name, DateTimeField().to_internal_value, _TIME)
    return {each.name: each for each in found}


@functools.cache
def orderings_of(model: type[Record]) -> dict[str, str]:
    """Return the columns by which a list can be ordered, by their properties."""
    own = {
        each.name: each.source
        for each in properties_of(model).values()
        if each.lookup == "exact" and each.viewed is None
    }
    state = RowStateSerializer().fields.items()
    return {**own, **{name: str(field.source) for name, field in state}}


def properties_of_fields(fields: Mapping[str, Any]) -> tuple[Property, ...]:
    """Return the filter parameters of a list that shows other fields."""
    return tuple(
        each for name, one in fields.items() for each in _properties(name, one)
    )


def _properties(name: str, field: Any) -> Iterator[Property]:
    for kind, make in _KINDS:
        if isinstance(field, kind):
            yield from make(name, str(field.source), field)
            return


def _of_reference(name: str, source: str, field: Any) -> Iterator[Property]:
    schema = {"type": "integer", "minimum": 0, "maximum": 10**18 - 1}
    empty = bool(field.allow_null)
    if empty:
        schema = {"type": "string", "pattern": f"^([0-9]{{1,18}}|{_NULL})$"}
    yield from _with_list(Property(name, source, _key, schema, nullable=empty))
    if has_code(field.to):
        code = f"{name.removesuffix('Id')}.code"
        column = f"{source.removesuffix('_id')}__code"
        yield Property(code, column, _text, _TEXT, viewed=field.to)


def _of_boolean(name: str, source: str, field: Any) -> Iterator[Property]:
    yield Property(name, source, _yes_or_no, {"type": "boolean"})


def _of_choice(name: str, source: str, field: Any) -> Iterator[Property]:
    schema = {"type": "string", "enum": list(field.choices)}
    yield from _with_list(Property(name, source, field.to_internal_value, schema))


def _of_integer(name: str, source: str, field: Any) -> Iterator[Property]:
    limit = 10**18 - 1
    schema = {"type": "integer", "minimum": -limit, "maximum": limit}
    # The numbers may be larger than those of the column.
    yield from _with_list(Property(name, source, _whole, schema), "in")
    yield from _bounds(name, source, _whole, schema)


def _of_decimal(name: str, source: str, field: Any) -> Iterator[Property]:
    schema = {"type": "string", "pattern": _DECIMAL}
    read = _strict(field, _DECIMAL)
    yield from _with_list(Property(name, source, read, schema))
    yield from _bounds(name, source, read, schema)


def _of_time(name: str, source: str, field: Any) -> Iterator[Property]:
    yield Property(name, source, field.to_internal_value, _TIME)
    yield from _bounds(name, source, field.to_internal_value, _TIME)


def _of_date(name: str, source: str, field: Any) -> Iterator[Property]:
    schema = {"type": "string", "format": "date"}
    read = field.to_internal_value
    yield from _with_list(Property(name, source, read, schema))
    yield from _bounds(name, source, read, schema)


def _of_text(name: str, source: str, field: Any) -> Iterator[Property]:
    yield from _with_list(Property(name, source, field.to_internal_value, _TEXT))
    for suffix, lookup in _PARTS_OF_TEXTS.items():
        yield Property(f"{name}{suffix}", source, _text, _TEXT, lookup)


# The order matters: a boolean or choice field is also one of the later classes.
_KINDS: Final[tuple[tuple[type[Any], Callable[..., Iterator[Property]]], ...]] = (
    (ReferenceField, _of_reference),
    (serializers.BooleanField, _of_boolean),
    (serializers.ChoiceField, _of_choice),
    (serializers.IntegerField, _of_integer),
    (serializers.DecimalField, _of_decimal),
    (serializers.DateTimeField, _of_time),
    (serializers.DateField, _of_date),
    (serializers.CharField, _of_text),
)


def _with_list(one: Property, lookup: str = "one_of") -> Iterator[Property]:
    """Yield a filter for one value, and one for several."""
    yield one
    several = {"type": "array", "items": {"type": "string"}, "maxItems": MOST_VALUES}
    yield replace(one, name=f"{one.name}In", schema=several, lookup=lookup)


def _bounds(
    name: str, source: str, read: Callable[[str], Any], schema: dict[str, Any]
) -> Iterator[Property]:
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


def _text(text: str) -> str:
    # For its message about control characters.
    words: str = TextField(allow_blank=True, trim_whitespace=False).run_validation(text)
    return words
