"""Lend bound serializers, and offer wire fields that take exactly what the wire says.

A serializer is built once and lent per call: building one costs thirty times what
validating does. Only ``run_validation`` and ``to_representation`` may be called on it.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any, ClassVar, cast

from django.db import models
from django.utils.translation import gettext_lazy as _
from rest_framework import serializers
from rest_framework.fields import empty
from rest_framework.settings import api_settings
from rest_framework.validators import UniqueTogetherValidator, UniqueValidator

from importer.package.fields import Applies
from importer.package.shapes import Problem

Serializer = serializers.Serializer[Any]
_MAX_KEY_DIGITS = 18
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]|[\ud800-\udfff]")
_DECIMAL = re.compile(r"-?[0-9]+(\.[0-9]+)?")
_lent = threading.local()


@contextmanager
def borrowed(
    cls: type[Serializer],
    *,
    instance: Any = None,
    partial: bool = False,
    context: Mapping[str, Any] | None = None,
) -> Iterator[Serializer]:
    """Lend a bound serializer of a class; nested use of one class gets another.

    It asks the database nothing about uniqueness: in a run the window answers that,
    outside one the database itself decides.
    """
    stacks: dict[Any, list[Serializer]] = _lent.__dict__.setdefault("stacks", {})
    stack = stacks.setdefault((cls, partial), [])
    serializer = stack.pop() if stack else _bound(cls, partial=partial)
    serializer.instance = instance
    serializer._context = dict(context or {})
    try:
        yield serializer
    finally:
        serializer.instance = None
        serializer._context = {}
        stack.append(serializer)


def _bound(cls: type[Serializer], *, partial: bool) -> Serializer:
    serializer = cls(partial=partial)
    unique = (UniqueValidator, UniqueTogetherValidator)
    for field in [serializer, *serializer.fields.values()]:
        field.validators = [v for v in field.validators if not isinstance(v, unique)]
    return serializer


def flatten(detail: Any, path: str = "") -> list[Problem]:
    """Make problems with paths of an error detail: ``lines[1].quantity: …``.

    DRF gives the errors of a list as ``{index: errors}``.
    """
    if isinstance(detail, Mapping):
        return [
            p for key, inner in detail.items() for p in flatten(inner, _at(path, key))
        ]
    if isinstance(detail, Sequence) and not isinstance(detail, str):
        return [
            problem
            for number, inner in enumerate(detail)
            for problem in flatten(
                inner, path if isinstance(inner, str) else f"{path}[{number}]"
            )
        ]
    return [Problem(path, str(detail))]


def _at(path: str, key: Any) -> str:
    if isinstance(key, int):
        return f"{path}[{key}]"
    if key == api_settings.NON_FIELD_ERRORS_KEY:
        return path
    return f"{path}.{key}" if path else str(key)


class TextField(serializers.CharField):
    """Take a text only: no number, no control character; null clears an optional one."""

    default_error_messages: ClassVar[dict[str, Any]] = {
        "control": _("Control characters are not allowed in a text."),
    }

    def run_validation(self, data: Any = empty) -> Any:
        """Read null as empty where the text may be empty."""
        if data is None and self.allow_blank and not self.allow_null:
            return ""
        return super().run_validation(data)

    def to_internal_value(self, data: Any) -> str:
        """Return the text, trimmed."""
        if not isinstance(data, str):
            self.fail("invalid")
        if _CONTROL.search(data):
            self.fail("control")
        return super().to_internal_value(data)


class BooleanField(serializers.BooleanField):
    """Take ``true`` or ``false`` and nothing that looks like them."""

    def run_validation(self, data: Any = empty) -> Any:
        """Read null as the default where a value need not be given."""
        if data is None and not self.required and not self.allow_null:
            return False
        return super().run_validation(data)

    def to_internal_value(self, data: Any) -> bool:
        """Return the truth value."""
        if type(data) is not bool:
            self.fail("invalid", input=data)
        return data


class IntegerField(serializers.IntegerField):
    """Take a whole JSON number only."""

    def to_internal_value(self, data: Any) -> int:
        """Return the number."""
        if type(data) is not int:
            self.fail("invalid")
        return data


class DecimalField(serializers.DecimalField):
    """Take a JSON number or a text of digits; answer with a text, exactly."""

    def to_internal_value(self, data: Any) -> Decimal:
        """Return the exact decimal; never by way of a binary fraction's digits."""
        if isinstance(data, str):
            if not _DECIMAL.fullmatch(data.strip()):
                self.fail("invalid")
        elif type(data) not in (int, float, Decimal):
            self.fail("invalid")
        return super().to_internal_value(data)


class DateTimeField(serializers.DateTimeField):
    """Take ISO 8601 with an offset, or a bare date: midnight in the active zone."""

    default_error_messages: ClassVar[dict[str, Any]] = {
        "offset": _("A date with a time needs an offset, such as Z or +02:00."),
    }

    def to_internal_value(self, value: Any) -> datetime:
        """Return the instant in UTC, within the years 1 to 9999."""
        if isinstance(value, str):
            value = value.strip()
            if re.fullmatch(r"\d{4}-\d{2}-\d{2}", value):
                value += "T00:00:00"
            elif not re.search(r"([zZ]|[+-]\d{2}(:?\d{2})?)$", value[10:]):
                self.fail("offset")
        try:
            return super().to_internal_value(value).astimezone(UTC)
        except OverflowError:
            self.fail("overflow")


class ReferenceField(serializers.Field[Any, Any, Any, Any]):
    """Take the key of a row of another table, and look it up where the run says.

    An integer or a text of at most 18 digits, nothing else: ``int`` of a decimal such
    as 1E3000000 would not come back.
    """

    default_error_messages: ClassVar[dict[str, Any]] = {
        "incorrect_type": _("A reference is the id of a row: a whole number."),
        "does_not_exist": _("There is no row with the id {id}."),
        "deleted": _("The row with the id {id} is deleted."),
    }

    def __init__(self, *, to: type[models.Model], **kwargs: Any) -> None:
        self.to = to
        super().__init__(**kwargs)

    def to_internal_value(self, data: Any) -> int:
        """Return the key of an existing row."""
        if type(data) is str and data.isascii() and data.isdigit():
            data = int(data) if len(data) <= _MAX_KEY_DIGITS else None
        if type(data) is not int or abs(data) >= 10**_MAX_KEY_DIGITS:
            self.fail("incorrect_type")
        look = self.context.get("look")
        if look is None:
            row = self.to._base_manager.filter(pk=data).first()
        else:
            row = look.row(self.to, data)
        if row is None:
            self.fail("does_not_exist", id=data)
        if getattr(row, "is_deleted", False) and data != self._present():
            self.fail("deleted", id=data)
        return data

    def _present(self) -> Any:
        """Return what the row refers to now: an old reference may stay."""
        instance = getattr(self.parent, "instance", None)
        return getattr(instance, str(self.source), None)

    def to_representation(self, value: int) -> int:
        """Return the key."""
        return value


class WireSerializer(serializers.ModelSerializer[Any]):
    """Put a model on the wire: camelCase names, strict values, references as ``…Id``.

    ``applies`` binds properties to rows where another property has a value.
    """

    applies: ClassVar[dict[str, Applies]] = {}

    serializer_field_mapping = {
        **serializers.ModelSerializer.serializer_field_mapping,
        models.CharField: TextField,
        models.TextField: TextField,
        models.EmailField: serializers.EmailField,
        models.BooleanField: BooleanField,
        models.DecimalField: DecimalField,
        models.DateTimeField: DateTimeField,
        models.IntegerField: IntegerField,
        models.SmallIntegerField: IntegerField,
        models.PositiveSmallIntegerField: IntegerField,
        models.PositiveIntegerField: IntegerField,
        models.BigIntegerField: IntegerField,
    }

    def get_fields(self) -> dict[str, Any]:
        """Return the fields under their wire names, in the declared order."""
        return {
            wire_name(n, f): _as_wire(n, f) for n, f in super().get_fields().items()
        }

    def build_relational_field(
        self, field_name: str, relation_info: Any
    ) -> tuple[type[Any], dict[str, Any]]:
        """Build a reference field, which takes and gives keys."""
        _, kwargs = super().build_relational_field(field_name, relation_info)
        kept = ("required", "allow_null", "help_text", "label", "read_only")
        options = {key: kwargs[key] for key in kept if key in kwargs}
        return ReferenceField, {**options, "to": relation_info.related_model}

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Check the properties that belong only to rows of one sort."""
        for name, rule in self.applies.items():
            problem = self._misplaced(attrs, name, rule)
            if problem:
                raise serializers.ValidationError({name: [problem]})
        return attrs

    def _misplaced(self, attrs: dict[str, Any], name: str, rule: Applies) -> str:
        other, value = self._now(attrs, rule.property), self._now(attrs, name)
        where = f"{rule.property} is {str(rule.value).lower()}"
        if other == rule.value:
            missing = rule.required and value in (None, "")
            return f"This field is required where {where}." if missing else ""
        given = value not in (None, "")
        return f"This field may be given only where {where}." if given else ""

    def _now(self, attrs: dict[str, Any], name: str) -> Any:
        source = self.fields[name].source
        if source in attrs or self.instance is None:
            return attrs.get(cast(str, source))
        return getattr(self.instance, cast(str, source))


def wire_name(name: str, field: Any) -> str:
    """Return the wire name of a model field: camelCase, references with ``Id``."""
    first, *rest = name.split("_")
    camel = first + "".join(part.capitalize() for part in rest)
    return f"{camel}Id" if isinstance(field, ReferenceField) else camel


def _as_wire(name: str, field: Any) -> Any:
    source = f"{name}_id" if isinstance(field, ReferenceField) else name
    if wire_name(name, field) != source:
        field.source = source
    return field
