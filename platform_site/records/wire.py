"""The wire forms of business rows, by model: every model has one target, which knows its
serializer and writes its rows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from importer.targets import validated

if TYPE_CHECKING:  # it imports this module itself
    from platform_site.records.importing import RecordTarget
    from platform_site.records.models import Record
    from platform_site.records.serializers import RecordSerializer

_targets: dict[type[Record], RecordTarget] = {}


def register(target: RecordTarget) -> None:
    """Make a target the one its model is written by."""
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
    """Return values for a whole row: what was not given is as in a new one.

    Refusal names the required properties that are missing, and what else is wrong.
    """
    known, fields = fields_of(model), dict(target_of(model).properties)
    if any(f.required and n not in values for n, f in fields.items()):
        given = {n: v for n, v in values.items() if n in fields or n not in known}
        validated(serializer_of(model), given, row=None, context={})
    absent = {name: _initial(model, fields[name]) for name in set(fields) - set(values)}
    return {**values, **absent}


def _initial(model: type[Record], field: Any) -> Any:
    column: Any = model._meta.get_field(str(field.source))
    value = column.get_default()
    return None if value is None else field.to_representation(value)


def lost(row: Record) -> dict[str, list[Any]]:
    """Return ``{property: [value, None]}`` of what goes with a row that is erased."""
    return {
        name: [field.to_representation(value), None]
        for name, field in target_of(type(row)).properties
        if (value := getattr(row, str(field.source))) not in (None, "")
    }
