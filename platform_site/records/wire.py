"""The registry of wire forms: every model has one target, with its serializer and the
writing of rows."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from importer.targets import validated
from platform_site.records.row_lookup import DatabaseLookup

if TYPE_CHECKING:  # it imports this module itself
    from platform_site.records.importing import RecordTarget
    from platform_site.records.models import Record
    from platform_site.records.serializers import RecordSerializer

_targets: dict[type[Record], RecordTarget] = {}


def register(target: RecordTarget) -> None:
    """Register the target of a model."""
    _targets[target.model] = target


def target_of(model: type[Record]) -> RecordTarget:
    """Return the target of a model."""
    return _targets[model]


def serializer_of(model: type[Record]) -> type[RecordSerializer]:
    """Return the wire serializer of a model."""
    return target_of(model).serializer


def fields_of(model: type[Record]) -> dict[str, Any]:
    """Return the fields of a model's wire serializer by their names; read-only."""
    return dict(target_of(model).fields)


def whole(model: type[Record], values: Mapping[str, Any]) -> dict[str, Any]:
    """Return values of a whole row: properties that aren't given get defaults.

    Raise Refusal with the missing required properties and all other problems.
    """
    known, fields = fields_of(model), dict(target_of(model).properties)
    if any(f.required and n not in values for n, f in fields.items()):
        given = {n: v for n, v in values.items() if n in fields or n not in known}
        lookup = {"lookup": DatabaseLookup()}
        validated(serializer_of(model), given, row=None, context=lookup)
    absent = {name: _initial(model, fields[name]) for name in set(fields) - set(values)}
    return {**values, **absent}


def _initial(model: type[Record], field: Any) -> Any:
    column: Any = model._meta.get_field(str(field.source))
    value = column.get_default()
    return None if value is None else field.to_representation(value)


def wire_value(field: Any, value: Any) -> Any:
    """Return a value in wire form, or unchanged if the serializer will refuse it."""
    if hasattr(value, "resolve_expression"):
        return value
    if isinstance(value, Decimal):
        # Unlike representations, not rounded.
        return format(value, "f")
    try:
        return None if value is None else field.to_representation(value)
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
        return value


def lost(row: Record) -> dict[str, list[Any]]:
    """Return ``{property: [value, None]}`` of an erased row."""
    return {
        name: [field.to_representation(value), None]
        for name, field in target_of(type(row)).properties
        if (value := getattr(row, str(field.source))) not in (None, "")
    }
