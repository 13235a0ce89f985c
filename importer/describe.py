"""The description of a serializer's fields for packages, free of ORM and DRF types."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any

from django.conf import settings
from django.core.validators import (
    BaseValidator,
    MaxValueValidator,
    MinValueValidator,
)
from django.db import models
from django.utils import translation
from rest_framework import serializers

from importer.package.fields import Applies, FieldKind, FieldSpec, ValueLimits
from importer.reference_field import ReferenceField
from importer.serializers import LinesField, Serializer
from importer.wire_fields import (
    BooleanField,
    CodedField,
    EmailField,
    TextField,
)

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
    """Return the descriptions of all properties that a package may give.

    Their texts are for programs, so they are always in the same language.
    """
    applies: dict[str, Applies] = getattr(serializer, "applies", {})
    with translation.override(settings.LANGUAGE_CODE):
        return tuple(
            _spec(name, field, applies.get(name), target_name)
            for name, field in serializer.fields.items()
            if not field.read_only
        )


def _spec(
    name: str, field: Any, applies: Applies | None, target_name: TargetName
) -> FieldSpec:
    to = referred_model(field)
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
        limits=_limits(field),
    )


def _limits(field: Any) -> ValueLimits:
    """Return the limits of a field.

    Those of a text are left out where the field could accept more than they say.
    """
    text = isinstance(field, TextField)
    digits = getattr(field, "max_digits", None)
    places = getattr(field, "decimal_places", None)
    return ValueLimits(
        nullable=_takes_null(field),
        exact=isinstance(field, (CodedField, LinesField)) and _trims(field),
        blank=not text or field.allow_blank,
        longest=field.max_length if text else None,
        email=isinstance(field, EmailField),
        least=max(_values(field, MinValueValidator), default=None),
        greatest=min(_values(field, MaxValueValidator), default=None),
        whole_digits=(None if digits is None or places is None else digits - places),
        places=places,
    )


def _takes_null(field: Any) -> bool:
    if isinstance(field, TextField) and field.allow_blank:
        return True
    if isinstance(field, BooleanField) and not field.required:
        return True
    return bool(field.allow_null)


def _trims(field: Any) -> bool:
    return not isinstance(field, TextField) or field.trim_whitespace


def _values(field: Any, validator: type[BaseValidator]) -> list[Any]:
    """Return the limits that the validators of one class set to numbers."""
    limits = (v.limit_value for v in field.validators if isinstance(v, validator))
    values = [limit() if callable(limit) else limit for limit in limits]
    return [value for value in values if isinstance(value, (int, Decimal))]


def _lines(field: Any, target_name: TargetName) -> tuple[FieldSpec, ...]:
    if isinstance(field, LinesField):
        return fields_of(field.line(), target_name)
    return ()


def referred_model(field: Any) -> type[models.Model] | None:
    """Return the model whose rows a field names, None if it names none."""
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
    columns = own_columns(model)
    alone = {f.attname for f in model._meta.fields if f.unique and not f.primary_key}
    alone |= {columns[names[0]] for names in _constrained(model) if len(names) == 1}
    return tuple(
        name
        for name, field in fields.items()
        if not field.read_only and columns.get(field.source or name) in alone
    )


def unique_sets(
    fields: Mapping[str, Any], model: type[models.Model]
) -> list[tuple[str, ...]]:
    """Return the sets of properties whose values no two live rows may share."""
    columns = own_columns(model)
    named = {columns.get(f.source or name): name for name, f in fields.items()}
    sets = [[columns[name] for name in names] for names in _constrained(model)]
    return [
        tuple(named[column] for column in one)
        for one in sets
        if len(one) > 1 and all(column in named for column in one)
    ]


def own_columns(model: type[models.Model]) -> dict[str, str]:
    """Return the attribute of each column of a model, by field name and by itself."""
    fields = model._meta.concrete_fields
    by_name = {field.name: field.attname for field in fields}
    return by_name | {field.attname: field.attname for field in fields}


def _constrained(model: type[models.Model]) -> list[tuple[str, ...]]:
    """Return the fields of the unique constraints that name any."""
    constraints = model._meta.constraints
    unique = (c for c in constraints if isinstance(c, models.UniqueConstraint))
    return [tuple(c.fields) for c in unique if c.fields]


def title_of(model: type[models.Model]) -> str:
    """Return the name of a model's rows for the schema, always in the same language."""
    with translation.override(settings.LANGUAGE_CODE):
        return str(model._meta.verbose_name_plural)
