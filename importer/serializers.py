"""Serializers for models on the wire, and a pool of serializers bound to a row.

Building a serializer takes thirty times as long as validating with it, so each is built
once and lent per call. Only ``run_validation`` and ``to_representation`` may be called
on it.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, ClassVar, cast

from django.db import models
from django.utils.translation import gettext_lazy as _
from rest_framework import serializers
from rest_framework.settings import api_settings
from rest_framework.validators import UniqueTogetherValidator, UniqueValidator

from importer import sentences
from importer.package.fields import Applies
from importer.package.shapes import Problem
from importer.package.wire_values import short
from importer.reference_field import ReferenceField, load_references
from importer.strict import StrictSerializer
from importer.wire_fields import (
    BooleanField,
    ChoiceField,
    DateField,
    DateTimeField,
    DecimalField,
    EmailField,
    IntegerField,
    TextField,
)

Serializer = serializers.Serializer[Any]
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

    It doesn't query the database for uniqueness: in a run the window checks it,
    otherwise the database itself.
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


# The codes of DRF and Django for which we use others.
_CODES = {
    "null": "required",
    "blank": "required",
    "empty": "required",
    "max_length": "too-long",
    "min_length": "too-short",
    "max_value": "out-of-range",
    "min_value": "out-of-range",
    "overflow": "out-of-range",
    "max_digits": "too-many-digits",
    "max_decimal_places": "too-many-digits",
    "max_whole_digits": "too-many-digits",
    "max_string_length": "too-many-digits",
    "invalid_choice": "not-a-choice",
    "incorrect_type": "not-a-reference",
    "neither": "not-a-reference",
    "no_such_code": "not-found",
    "may_not_view": "not-allowed",
    "does_not_exist": "not-found",
    "deleted": "row-deleted",
    "unique": "taken",
    "control": "control-characters",
    "offset": "no-offset",
}


def problem_code(detail: Any) -> str:
    """Return the code of a problem for an error detail of DRF (`max_length`)."""
    code = str(getattr(detail, "code", None) or "invalid")
    return _CODES.get(code) or code.replace("_", "-")


def flatten(detail: Any, path: str = "") -> list[Problem]:
    """Return problems with paths and codes for an error detail: ``lines[1].quantity:
    …``.

    DRF returns the errors of a list as ``{index: errors}``.
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
    return [Problem(path, str(detail), problem_code(detail))]


def _at(path: str, key: Any) -> str:
    if isinstance(key, int):
        return f"{path}[{key}]"
    if key == api_settings.NON_FIELD_ERRORS_KEY:
        return path
    return f"{path}.{key}" if path else str(key)


class WireSerializer(StrictSerializer, serializers.ModelSerializer[Any]):
    """A serializer with camelCase names, strict values, and references as ``…Id``.

    ``applies`` restricts properties to rows in which another property has a certain
    value.
    """

    applies: ClassVar[dict[str, Applies]] = {}

    serializer_field_mapping = {
        **serializers.ModelSerializer.serializer_field_mapping,
        models.CharField: TextField,
        models.TextField: TextField,
        models.EmailField: EmailField,
        models.BooleanField: BooleanField,
        models.DecimalField: DecimalField,
        models.DateField: DateField,
        models.DateTimeField: DateTimeField,
        models.IntegerField: IntegerField,
        models.SmallIntegerField: IntegerField,
        models.PositiveSmallIntegerField: IntegerField,
        models.PositiveIntegerField: IntegerField,
        models.BigIntegerField: IntegerField,
    }

    serializer_choice_field = ChoiceField

    def _row(self) -> Any:
        """Return the row being changed; for a new row, one with default values."""
        model: Any = self.Meta.model
        return model() if self.instance is None else self.instance

    def get_fields(self) -> dict[str, Any]:
        """Return the fields under their wire names, in the declared order."""
        return {
            wire_name(n, f): _as_wire(n, f) for n, f in super().get_fields().items()
        }

    def build_relational_field(
        self, field_name: str, relation_info: Any
    ) -> tuple[type[Any], dict[str, Any]]:
        """Return a reference field, which accepts and returns keys."""
        _, kwargs = super().build_relational_field(field_name, relation_info)
        kept = ("required", "allow_null", "help_text", "label", "read_only")
        options = {key: kwargs[key] for key in kept if key in kwargs}
        return ReferenceField, {**options, "to": relation_info.related_model}

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Check the properties that apply only to certain rows."""
        problems: dict[str, list[str]] = {}
        for name, rule in self.applies.items():
            for blamed, problem in self._misplaced(attrs, name, rule).items():
                problems.setdefault(blamed, [problem])
        if problems:
            raise serializers.ValidationError(problems)
        return attrs

    def _misplaced(
        self, attrs: dict[str, Any], name: str, rule: Applies
    ) -> dict[str, str]:
        other, value = self._now(attrs, rule.property), self._now(attrs, name)
        words = {
            "name": name,
            "other": rule.property,
            "value": str(rule.value).lower(),
        }
        missing = value in (None, "")
        if other == rule.value:
            needed = rule.required and missing
            text = _("This value is required where %(other)s is %(value)s.")
            return {name: text % words} if needed else {}
        if missing:
            return {}
        if self.fields[name].source in attrs:
            text = _("This value is allowed only where %(other)s is %(value)s.")
            return {name: text % words}
        # It wasn't given; the write changes the property it depends on.
        text = _(
            "The row has %(name)s, which is allowed only where %(other)s is %(value)s."
        )
        return {rule.property: text % words}

    def _now(self, attrs: dict[str, Any], name: str) -> Any:
        source = self.fields[name].source
        if source in attrs or self.instance is None:
            return attrs.get(cast(str, source))
        return getattr(self.instance, cast(str, source))


def wire_name(name: str, field: Any) -> str:
    """Return the wire name of a model field: camelCase, references with ``Id``."""
    return reference_name(name) if isinstance(field, ReferenceField) else _camel(name)


def reference_name(name: str) -> str:
    """Return the wire name of a model field that refers to other rows."""
    return f"{_camel(name)}Id"


def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(part.capitalize() for part in rest)


def _as_wire(name: str, field: Any) -> Any:
    source = f"{name}_id" if isinstance(field, ReferenceField) else name
    if wire_name(name, field) != source:
        field.source = source
    return field


class LinesField(serializers.Field[Any, Any, Any, Any]):
    """All lines of a row as one value, which replaces the stored lines.

    Its line serializer has its own root: a partial change of a row still needs every
    required property of each line.
    """

    default_error_messages: ClassVar[dict[str, Any]] = {
        **sentences.ANY,
        "not_a_list": _("Lines must be an array, not {value}."),
        "empty": _("At least one line is needed."),
    }

    def __init__(self, line: type[Serializer], **kwargs: Any) -> None:
        self.line = line
        super().__init__(**kwargs)

    def to_internal_value(self, data: Any) -> list[dict[str, Any]]:
        """Return the attributes of each line; errors are keyed by line number."""
        if not isinstance(data, list):
            self.fail("not_a_list", value=short(data))
        if not data:
            self.fail("empty")
        lines: list[dict[str, Any]] = []
        errors: dict[Any, Any] = {}
        with borrowed(self.line, context=self.context) as lent:
            load_references(data, lent.fields, self.context.get("lookup"))
            for number, line in enumerate(data):
                try:
                    lines.append(dict(lent.run_validation(line)))
                except serializers.ValidationError as error:
                    errors[number] = error.detail
        if errors:
            raise serializers.ValidationError(errors)
        return lines

    def to_representation(self, value: Any) -> list[dict[str, Any]]:
        """Return the lines on the wire."""
        with borrowed(self.line) as lent:
            return [dict(lent.to_representation(line)) for line in value]
