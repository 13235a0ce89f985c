"""Knows the wire properties of a model by the fields and words of its pages: errors,
values and histories pass through here on their way from the services to a person."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.db import models
from django.utils.text import capfirst

from platform_site.changes.admin import in_words
from platform_site.records import wire

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from platform_site.records.errors import Problem
    from platform_site.records.models import Record

Texts = dict[type[models.Model], dict[Any, str]]


class Properties:
    """Translate the wire properties of one model."""

    def __init__(self, model: type[Record]) -> None:
        fields = wire.serializer_of(model)().fields
        self._fields: dict[str, Any] = {
            name: model._meta.get_field(str(field.source))
            for name, field in fields.items()
            if not field.read_only
        }

    def items(self) -> Iterable[tuple[str, str]]:
        """Return each property with the name of its form field."""
        return [(name, field.name) for name, field in self._fields.items()]

    def form_field(self, path: str) -> str | None:
        """Return the form field a problem is about, None if it is the whole row."""
        field = self._fields.get(path)
        return None if field is None else str(field.name)

    def label(self, name: str) -> str:
        """Return what a property is called on a page."""
        field = self._fields.get(name)
        words = name if field is None else getattr(field, "verbose_name", name)
        return str(capfirst(words))

    def sentence(self, problem: Problem) -> str:
        """Return a problem that stands beside no field, which it then has to name."""
        if not problem.path:
            return problem.message
        return f"{self.label(problem.path)}: {problem.message}"

    def text(self, name: str, value: Any, texts: Texts) -> str:
        """Return a wire value as a reader expects it; references as their rows."""
        field = self._fields.get(name)
        if field is None or value is None:
            return in_words(value)
        if field.is_relation:
            return texts.get(field.related_model, {}).get(value, f"#{value}")
        choices = dict(field.flatchoices)
        return str(choices[value]) if value in choices else in_words(value)

    def texts(self, recorded: Iterable[Mapping[str, Iterable[Any]]]) -> Texts:
        """Look up the texts of all rows referred to: one query per table."""
        wanted: dict[type[models.Model], set[Any]] = {}
        for changes in recorded:
            for name, values in changes.items():
                field = self._fields.get(name)
                if field is not None and field.is_relation:
                    keys = {value for value in values if isinstance(value, int)}
                    wanted.setdefault(field.related_model, set()).update(keys)
        return {
            model: {
                row.pk: str(row)
                for row in model._base_manager.filter(pk__one_of=sorted(keys))
            }
            for model, keys in wanted.items()
        }
