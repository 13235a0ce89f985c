"""The properties of a row as labels and values, on the page to read it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from django.core.exceptions import FieldDoesNotExist
from django.db import models
from django.utils.formats import date_format
from django.utils.text import capfirst

from platform_site.changes.labels import NOTHING, in_words, number_in_words
from platform_site.records.admin.formatting import moment
from platform_site.records.row_links import link_to_row

_LONG = 60


@dataclass(frozen=True, slots=True)
class Detail:
    """A property with its value for the reader, and where the value leads."""

    label: str
    text: Any
    link: str = ""
    is_number: bool = False

    @property
    def is_empty(self) -> bool:
        """Return whether there is no value."""
        return self.text in ("", NOTHING)

    @property
    def is_long(self) -> bool:
        """Return whether the value needs the whole width."""
        text = str(self.text)
        return len(text) > _LONG or "\n" in text

    @property
    def is_short(self) -> bool:
        """Return whether the value, like a number or a code, is never broken."""
        return isinstance(self.text, str) and len(self.text.split()) <= len("of")


@dataclass(frozen=True, slots=True)
class Details:
    """The properties that have a value, and those that don't."""

    filled: tuple[Detail, ...]
    empty: tuple[Detail, ...]


def details_of(page: Any, row: Any, names: Iterable[str], user: Any) -> Details:
    """Return the properties of a row by the names of fields, as its admin page shows
    them."""
    found = [detail(page, row, name, user) for name in names]
    return Details(
        tuple(each for each in found if not each.is_empty),
        tuple(each for each in found if each.is_empty),
    )


def detail(page: Any, row: Any, name: str, user: Any) -> Detail:
    """Return one property; a method of the page determines its format, if there is
    one."""
    for method in (f"{name}_shown", name):
        shown = getattr(page, method, None)
        if callable(shown):
            label = str(capfirst(getattr(shown, "short_description", name)))
            number = _is_number(_field(page.model, name))
            return Detail(label, shown(row) or NOTHING, is_number=number)
    field = _field(page.model, name)
    if field is None:
        return Detail(name, NOTHING)
    label = str(capfirst(field.verbose_name))
    if field.is_relation:
        other = getattr(row, field.name)
        if other is None:
            return Detail(label, NOTHING)
        return Detail(label, str(other), link_to_row(type(other), other.pk, user))
    value = getattr(row, field.name)
    link = f"mailto:{value}" if isinstance(field, models.EmailField) and value else ""
    return Detail(label, field_text(field, value), link, _is_number(field))


def references(model: type[models.Model], names: Iterable[str]) -> Iterator[str]:
    """Yield the references among some fields, to be read together with a row."""
    for name in names:
        field = _field(model, name)
        if field is not None and field.is_relation:
            yield str(field.name)


def _field(model: type[models.Model], name: str) -> Any:
    """Return the field of a property, also if a method formats it, None without one."""
    try:
        return model._meta.get_field(name.removesuffix("_shown"))
    except FieldDoesNotExist:
        return None


def _is_number(field: Any) -> bool:
    return isinstance(field, models.DecimalField | models.IntegerField) and not (
        field.choices
    )


def field_text(field: Any, value: Any) -> str:
    """Return the value of a field for the reader."""
    choices = dict(field.flatchoices)
    if value in choices:
        return str(choices[value])
    if isinstance(value, datetime):
        return moment(value)
    if isinstance(value, date):
        return date_format(value, "DATE_FORMAT")
    if isinstance(value, Decimal):
        return number_in_words(value, getattr(field, "least_places", 0))
    return in_words(value)
