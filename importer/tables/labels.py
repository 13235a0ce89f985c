"""What people call the properties of a target: the labels of its fields in the
languages of the project, and the codes of its rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.conf import settings
from django.core.exceptions import FieldDoesNotExist
from django.db import models
from django.utils import translation
from django.utils.text import capfirst

from importer import registry
from importer.serializers import LinesField

# More codes than this are too many to be the words of a list.
_MOST_CODES = 1000


def labels_of(target: Any) -> dict[str, list[str]]:
    """Return what each property is called, in every language of the project."""
    labels: dict[str, list[str]] = {}
    for language, _name in settings.LANGUAGES:
        with translation.override(language):
            _add_labels(labels, target.fields, target.model, "")
    return labels


def present_labels(target: Any) -> dict[str, str]:
    """Return what each property is called in the present language, capitalised."""
    labels: dict[str, list[str]] = {}
    _add_labels(labels, target.fields, target.model, "")
    return {name: capfirst(said[0]) or name for name, said in labels.items()}


def _add_labels(
    labels: dict[str, list[str]], fields: Any, model: type[models.Model], base: str
) -> None:
    for name, field in fields.items():
        if isinstance(field, LinesField):
            line: Any = field.line()
            _add_labels(labels, line.fields, line.Meta.model, f"{name}.")
        else:
            labels.setdefault(f"{base}{name}", []).append(_label(field, model))


def _label(field: Any, model: type[models.Model]) -> str:
    """Return what a field is called; a serializer has its label in one language."""
    try:
        column: Any = model._meta.get_field(field.source)
    except FieldDoesNotExist:
        return str(field.label or "")
    return str(column.verbose_name)


def codes_of(target: str) -> Sequence[str]:
    """Return the codes of the rows of a target in order, none if there are very many."""
    found = registry.targets()[target]
    if not found.spec.code:
        return ()
    codes = sorted(str(code) for code, _key in found.codes(_MOST_CODES + 1))
    return codes if len(codes) <= _MOST_CODES else ()
