"""The description of a serializer's fields for packages, free of ORM and DRF types."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from django.conf import settings
from django.db import models
from django.utils import translation
from rest_framework import serializers

from importer.package.fields import Applies, FieldKind, FieldSpec
from importer.serializers import LinesField, Serializer
from importer.wire_fields import ReferenceField

TargetName = Callable[[type[models.Model]], str]

# The order matters: a boolean or choice field is also one of the later classes.
_KINDS: tuple[tuple[type[Any], FieldKind], ...] = (
    (serializers.BooleanField, FieldKind.BOOLEAN),
    (serializers.ChoiceField, FieldKind.CHOICE),
    (serializers.IntegerField, FieldKind.INTEGER),
    (serializers.DecimalField, FieldKind.DECIMAL),
    (serializers.DateTimeField, FieldKind.DATE_TIME),
    (serializers.DateField, FieldKind.DATE),
    (serializers.CharField, FieldKind.TEXT),
    (serializers.UUIDField, FieldKind.TEXT),
    (LinesField, FieldKind.LINES),
)


def fields_of(serializer: Serializer, target_name: TargetName) -> tuple[FieldSpec, ...]:
    """Return the descriptions of all properties that a package may give."""
    applies: dict[str, Applies] = getattr(serializer, "applies", {})
    return tuple(
        _spec(name, field, applies.get(name), target_name)
        for name, field in serializer.fields.items()
        if not field.read_only
    )


def _spec(
    name: str, field: Any, applies: Applies | None, target_name: TargetName
) -> FieldSpec:
    to = _referred(field)
    return FieldSpec(
        name=name,
        kind=FieldKind.REFERENCE if to is not None else _kind(name, field),
        required=field.required,
        applies=applies,
        # The choices of a reference would be all rows of its table.
        choices=() if to else tuple(map(str, getattr(field, "choices", ()))),
        to=target_name(to) if to is not None else "",
        lines=_lines(field, target_name),
        description=str(field.help_text or ""),
    )


def _lines(field: Any, target_name: TargetName) -> tuple[FieldSpec, ...]:
    if isinstance(field, LinesField):
        return fields_of(field.line(), target_name)
    return ()


def _referred(field: Any) -> type[models.Model] | None:
    if isinstance(field, ReferenceField):
        return field.to
    if isinstance(field, serializers.PrimaryKeyRelatedField):
        related: Any = field
        model: type[models.Model] = related.queryset.model
        return model
    return None


def _kind(name: str, field: Any) -> FieldKind:
    for cls, kind in _KINDS:
        if isinstance(field, cls):
            return kind
    kind_name = type(field).__name__
    raise TypeError(f"The importer cannot take the field {name}, a {kind_name}.")


def unique_names(
    fields: Mapping[str, Any], model: type[models.Model]
) -> tuple[str, ...]:
    """Return the properties whose values no two live rows may share."""
    alone = {f.name for f in model._meta.fields if f.unique and not f.primary_key}
    for constraint in model._meta.constraints:
        if isinstance(constraint, models.UniqueConstraint):
            alone.update(constraint.fields if len(constraint.fields) == 1 else ())
    return tuple(
        name
        for name, field in fields.items()
        if not field.read_only and (field.source or name) in alone
    )


def unique_sets(
    fields: Mapping[str, Any], model: type[models.Model]
) -> list[tuple[str, ...]]:
    """Return the sets of properties whose values no two live rows may share."""
    names = {field.source or name: name for name, field in fields.items()}
    sets = [
        c.fields
        for c in model._meta.constraints
        if isinstance(c, models.UniqueConstraint)
    ]
    return [
        tuple(names[column] for column in columns)
        for columns in sets
        if len(columns) > 1 and all(column in names for column in columns)
    ]


def title_of(model: type[models.Model]) -> str:
    """Return the name of a model's rows for the schema, always in the same language."""
    with translation.override(settings.LANGUAGE_CODE):
        return str(model._meta.verbose_name_plural)
