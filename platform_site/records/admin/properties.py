"""The wire properties of a model by its form fields and labels, for errors, values and
histories."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from typing import Any

from django.core.exceptions import FieldDoesNotExist
from django.db import models
from django.utils.text import capfirst
from django.utils.translation import gettext, gettext_lazy as _, ngettext

from importer.targets import LinesField
from platform_site.changes.labels import (
    NOTHING,
    LabelledChange,
    in_words,
    value_in_words,
)
from platform_site.changes.line_changes import LineChange, line_changes
from platform_site.records import wire
from platform_site.records.errors import Problem
from platform_site.records.models import Record

Texts = dict[type[models.Model], dict[Any, str]]

_PARTS = {"lines": _("lines")}
_MOST_LINES = 20


class Properties:
    """The wire properties of a model or of its lines, as form fields."""

    def __init__(self, model: type[Record], serializer: Any = None) -> None:
        self._fields: dict[str, Any] = {}
        self._parts: dict[str, Properties] = {}
        self._writable: set[str] = set()
        wired = (serializer or wire.serializer_of(model))().fields
        for name, field in wired.items():
            if isinstance(field, LinesField):
                line: Any = field.line
                self._parts[name] = Properties(line.Meta.model, line)
                continue
            try:
                self._fields[name] = model._meta.get_field(str(field.source))
            except FieldDoesNotExist:
                continue
            if not field.read_only:
                self._writable.add(name)

    def items(self) -> list[tuple[str, str]]:
        """Return each editable property with the name of its form field."""
        return [
            (name, str(field.name))
            for name, field in self._fields.items()
            if name in self._writable
        ]

    def columns(self) -> list[models.Field[Any, Any]]:
        """Return the columns of all properties, also of those that nobody edits, but not
        the key, which is nobody's name of a row."""
        fields = self._fields.values()
        return [one for one in fields if one.concrete and not one.primary_key]

    def form_field(self, path: str) -> str | None:
        """Return the form field of a problem, None if it concerns the whole row."""
        field = self._fields.get(path)
        return None if field is None else str(field.name)

    def is_in_part(self, path: str) -> bool:
        """Return whether a problem is about a part of the row, which has its own
        forms."""
        return path.partition("[")[0] in self._parts

    def part(self, name: str) -> Properties:
        """Return the properties of a part's lines."""
        return self._parts[name]

    def label(self, name: str) -> str:
        """Return the label of a property; inside a line, with the line's number."""
        part, inside, place = name.partition("[")
        if inside and part in self._parts:
            number, _closed, inner = place.partition("]")
            line = gettext("Line %(number)d") % {"number": int(number) + 1}
            inner = inner.removeprefix(".")
            return f"{line}, {self._parts[part].label(inner)}" if inner else line
        field = self._fields.get(name)
        words = getattr(field, "verbose_name", _PARTS.get(name, name))
        return str(capfirst(words))

    def sentence(self, problem: Problem) -> str:
        """Return a problem as a sentence that names its property."""
        if not problem.path:
            return problem.message
        return f"{self.label(problem.path)}: {problem.message}"

    def text(self, name: str, value: Any, texts: Texts) -> str:
        """Return a wire value as text; references as the names of their rows."""
        if name in self._parts and isinstance(value, list):
            return "; ".join(self._parts[name].row_text(line, texts) for line in value)
        field = self._fields.get(name)
        if field is None or value is None:
            return in_words(value)
        if field.is_relation and isinstance(value, int) and value < 0:
            # Rows planned by a dry run have negative keys.
            return gettext("a new row")
        if field.is_relation:
            return texts.get(field.related_model, {}).get(value, f"#{value}")
        return value_in_words(field, value)

    def changes(
        self, name: str, before: Any, after: Any, texts: Texts
    ) -> Iterator[LabelledChange]:
        """Yield the change of a property, or of each line that was added, removed or
        changed."""
        if name not in self._parts:
            text = partial(self.text, name, texts=texts)
            yield self.label(name), text(before), text(after)
            return
        part = self._parts[name]
        found = list(line_changes(before or [], after or []))
        for change in found[:_MOST_LINES]:
            yield from part.line_change(change, texts)
        more = len(found) - _MOST_LINES
        if more > 0:
            said = ngettext("%d more line", "%d more lines", more) % more
            yield said, NOTHING, NOTHING

    def line_change(self, change: LineChange, texts: Texts) -> Iterator[LabelledChange]:
        """Yield what changed in a line of which these are the properties."""
        number, before, after = change
        line = gettext("Line %(number)d") % {"number": number}
        if before is None or after is None:
            kind = gettext("added") if before is None else gettext("removed")
            old, new = (
                self.row_text(each, texts) if each else NOTHING
                for each in (before, after)
            )
            yield f"{line}, {kind}", old, new
            return
        for name in {**before, **after}:
            pair = before.get(name), after.get(name)
            if pair[0] != pair[1]:
                old, new = (self.text(name, value, texts) for value in pair)
                yield (
                    f"{line}{self._named(after, name, texts)}, {self.label(name)}",
                    old,
                    new,
                )

    def _named(self, line: Mapping[str, Any], but: str, texts: Texts) -> str:
        """Return what a line is about in brackets, unless it is what changed."""
        for name, field in self._fields.items():
            if field.is_relation and name in line and name != but:
                return f" ({self.text(name, line[name], texts)})"
        return ""

    def row_text(self, values: Mapping[str, Any], texts: Texts) -> str:
        """Return wire values of a row or line as text.

        They are in the order of the wire form, because databases may reorder keys in
        JSON.
        """
        known = [name for name in self._fields if name in values]
        rest = [name for name in values if name not in self._fields]
        return ", ".join(
            f"{self.label(name)}: {self.text(name, values[name], texts)}"
            for name in (*known, *rest)
        )

    def texts(self, recorded: Iterable[Mapping[str, Iterable[Any]]]) -> Texts:
        """Load the names of all referenced rows, with one query per table."""
        wanted: dict[type[models.Model], set[Any]] = {}
        for changes in recorded:
            for name, values in changes.items():
                for value in values:
                    self._want(wanted, name, value)
        return {
            model: {
                row.pk: str(row)
                for row in model._base_manager.filter(pk__one_of=sorted(keys))
            }
            for model, keys in wanted.items()
        }

    def _want(
        self, wanted: dict[type[models.Model], set[Any]], name: str, value: Any
    ) -> None:
        if name in self._parts and isinstance(value, list):
            for line in value:
                for each, said in line.items():
                    self._parts[name]._want(wanted, each, said)
            return
        field = self._fields.get(name)
        known = isinstance(value, int) and value > 0
        if field is not None and field.is_relation and known:
            wanted.setdefault(field.related_model, set()).add(value)
