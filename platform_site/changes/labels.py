"""The labels of change events: names of kinds, properties and values in the reader's
language and time zone."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, Any, Final, Protocol

from django.apps import apps
from django.contrib import admin
from django.db.models import DateField, DecimalField, Model
from django.utils.dateparse import parse_date, parse_datetime
from django.utils.formats import date_format, number_format
from django.utils.text import capfirst
from django.utils.timezone import is_aware, localtime
from django.utils.translation import gettext

if TYPE_CHECKING:  # it imports this module itself
    from platform_site.changes.models import ChangeEvent

NOTHING: Final = "—"
# A property, and its values before and after.
LabelledChange = tuple[str, str, str]


def recorded_models() -> dict[str, type[Model]]:
    """Return the models with recorded changes, by the names in their events."""
    # A proxy inherits the name of its model.
    return {
        vars(model)["catalog_name"]: model
        for model in apps.get_models()
        if vars(model).get("catalog_name")
    }


def kind_in_words(name: str) -> str:
    """Return the label of a recorded kind, or its name if the model is unknown."""
    model = recorded_models().get(name)
    return name if model is None else str(capfirst(model._meta.verbose_name_plural))


def labels_of(model: type[Model] | None) -> Labels:
    """Return the labels of a model: those of its admin page, else of its columns."""
    page: Any = None
    if model is not None and admin.site.is_registered(model):
        page = admin.site.get_model_admin(model)
    found: Labels = getattr(page, "labels", None) or ColumnLabels(model)
    return found


class Labels(Protocol):
    """The labels of a model's recorded properties and of their values."""

    def label(self, name: str) -> str:
        """Return the label of a property."""

    def text(self, name: str, value: Any, texts: Any) -> str:
        """Return a recorded value as text."""

    def texts(self, recorded: Iterable[Mapping[str, Iterable[Any]]]) -> Any:
        """Load what `text` needs for all values at once."""

    def changes(
        self, name: str, before: Any, after: Any, texts: Any
    ) -> Iterable[LabelledChange]:
        """Return a change of a property, in parts if it is made of lines."""


class ColumnLabels:
    """The labels of a model whose events name its columns.

    Without a model, for example of a removed app, the recorded names are used.
    """

    def __init__(self, model: type[Model] | None) -> None:
        fields = () if model is None else model._meta.fields
        self._fields = {field.name.replace("_", ""): field for field in fields}

    def label(self, name: str) -> str:
        """Return the label of a column, or the name itself."""
        field = self._fields.get(name.lower())
        return str(capfirst(name if field is None else field.verbose_name))

    def text(self, name: str, value: Any, texts: Any) -> str:
        """Return a recorded value as text."""
        return value_in_words(self._fields.get(name.lower()), value)

    def texts(self, recorded: Iterable[Mapping[str, Iterable[Any]]]) -> None:
        """Load nothing: references are recorded by name."""

    def changes(
        self, name: str, before: Any, after: Any, texts: Any
    ) -> Iterable[LabelledChange]:
        """Return the change of a column."""
        yield (
            self.label(name),
            self.text(name, before, texts),
            self.text(name, after, texts),
        )


def value_in_words(field: Any, value: Any) -> str:
    """Return a recorded value of a field in the reader's format and time zone."""
    choices = dict(getattr(field, "flatchoices", ()))
    if isinstance(value, Hashable) and value in choices:
        return str(choices[value])
    if isinstance(field, DateField) and isinstance(value, str):
        return _date_in_words(value)
    if isinstance(field, DecimalField) and isinstance(value, str):
        return _decimal_in_words(value, getattr(field, "least_places", 0))
    return in_words(value)


def number_in_words(value: Decimal | int, least: int) -> str:
    """Return a number without trailing zeros but with a minimum of decimal places, with
    thousands separators."""
    return number_format(
        value, places_of(value, least), use_l10n=True, force_grouping=True
    )


def places_of(value: Decimal | int, least: int) -> int:
    """Return the number of decimal places to show: those it has, or the minimum."""
    return max(len(f"{Decimal(value):f}".rstrip("0").partition(".")[2]), least)


def _decimal_in_words(text: str, least: int) -> str:
    try:
        value = Decimal(text)
    except InvalidOperation:
        return text
    return number_in_words(value, least) if value.is_finite() else text


def _date_in_words(text: str) -> str:
    """Return a recorded date or time as text, unchanged if it is out of range."""
    try:
        moment = parse_datetime(text)
        if moment is not None and is_aware(moment):
            return date_format(localtime(moment), "DATETIME_FORMAT")
        day = parse_date(text)
    except (ValueError, OverflowError):
        return text
    return text if day is None else date_format(day, "DATE_FORMAT")


@dataclass(frozen=True)
class LabelledEvent:
    """An event with its labelled changes: (property, before, after)."""

    event: ChangeEvent
    changes: tuple[LabelledChange, ...]


def labelled_events(
    events: Sequence[ChangeEvent], labels: Labels
) -> list[LabelledEvent]:
    """Return a page of events with labels, with one query per referenced table."""
    recorded = _recorded(event.changes for event in events)
    texts = labels.texts(recorded)
    return [
        LabelledEvent(
            event,
            tuple(
                change
                for name, (before, after) in changes.items()
                for change in labels.changes(name, before, after, texts)
            ),
        )
        for event, changes in zip(events, recorded, strict=True)
    ]


def labelled_changes(
    changes: Iterable[Mapping[str, Any]], labels: Labels
) -> list[tuple[LabelledChange, ...]]:
    """Return changes with labels, one for each property, with one query per referenced
    table."""
    recorded = _recorded(changes)
    texts = labels.texts(recorded)
    return [
        tuple(
            (
                labels.label(name),
                labels.text(name, before, texts),
                labels.text(name, after, texts),
            )
            for name, (before, after) in each.items()
        )
        for each in recorded
    ]


def _recorded(changes: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return the changes that have values before and after."""
    return [
        {
            name: pair
            for name, pair in each.items()
            if isinstance(pair, list | tuple) and len(pair) == len(("before", "after"))
        }
        for each in changes
    ]


def in_words(value: Any) -> str:
    """Return a recorded value as text."""
    if value is None or value in ("", [], {}):
        return NOTHING
    if isinstance(value, bool):
        return gettext("yes") if value else gettext("no")
    if isinstance(value, list):
        return "; ".join(in_words(each) for each in value)
    if isinstance(value, dict):
        return ", ".join(f"{name}: {in_words(each)}" for name, each in value.items())
    return str(value)
