"""What people read of a change event: what kinds of rows, properties and values are
called on the pages, in the reader's language and zone."""

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


def recorded_models() -> dict[str, type[Model]]:
    """Return the models whose changes are recorded, by the names in their events."""
    # A proxy inherits the name of the model whose rows it shows in another light.
    return {
        vars(model)["catalog_name"]: model
        for model in apps.get_models()
        if vars(model).get("catalog_name")
    }


def kind_in_words(name: str) -> str:
    """Return what rows of a recorded kind are called, the name itself if none is."""
    model = recorded_models().get(name)
    return name if model is None else str(capfirst(model._meta.verbose_name_plural))


def labels_of(model: type[Model] | None) -> Labels:
    """Return the words of a model's changes: those of its pages, else of its columns."""
    page: Any = None
    if model is not None and admin.site.is_registered(model):
        page = admin.site.get_model_admin(model)
    found: Labels = getattr(page, "labels", None) or ColumnLabels(model)
    return found


class Labels(Protocol):
    """The labels of a model's recorded properties and of their values."""

    def label(self, name: str) -> str:
        """Return what a property is called on a page."""

    def text(self, name: str, value: Any, texts: Any) -> str:
        """Return a recorded value as a reader expects it."""

    def texts(self, recorded: Iterable[Mapping[str, Iterable[Any]]]) -> Any:
        """Look up what `text` needs for all of them at once."""


class ColumnLabels:
    """The words of a model whose events name its columns, spelled as on the wire.

    Of no model, as where an app is here no more, they are the recorded ones.
    """

    def __init__(self, model: type[Model] | None) -> None:
        fields = () if model is None else model._meta.fields
        self._fields = {field.name.replace("_", ""): field for field in fields}

    def label(self, name: str) -> str:
        """Return what a property is called on a page; what is no column, by its name."""
        field = self._fields.get(name.lower())
        return str(capfirst(name if field is None else field.verbose_name))

    def text(self, name: str, value: Any, texts: Any) -> str:
        """Return a recorded value as a reader expects it."""
        return value_in_words(self._fields.get(name.lower()), value)

    def texts(self, recorded: Iterable[Mapping[str, Iterable[Any]]]) -> None:
        """Look nothing up: references are recorded by name."""


def value_in_words(field: Any, value: Any) -> str:
    """Return a recorded value of a field as a reader expects it, in the reader's zone."""
    choices = dict(getattr(field, "flatchoices", ()))
    if isinstance(value, Hashable) and value in choices:
        return str(choices[value])
    if isinstance(field, DateField) and isinstance(value, str):
        return _date_in_words(value)
    if isinstance(field, DecimalField) and isinstance(value, str):
        return _decimal_in_words(value, getattr(field, "least_places", 0))
    return in_words(value)


def number_in_words(value: Decimal | int, least: int) -> str:
    """Return a number without the zeros at its end, but with at least so many places,
    thousands apart."""
    return number_format(
        value, places_of(value, least), use_l10n=True, force_grouping=True
    )


def places_of(value: Decimal | int, least: int) -> int:
    """Return how many places a number is shown with: those it has, or so many."""
    return max(len(f"{Decimal(value):f}".rstrip("0").partition(".")[2]), least)


def _decimal_in_words(text: str, least: int) -> str:
    try:
        value = Decimal(text)
    except InvalidOperation:
        return text
    return number_in_words(value, least) if value.is_finite() else text


def _date_in_words(text: str) -> str:
    """Return a recorded date or moment; what a calendar does not have, as recorded."""
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
    changes: tuple[tuple[str, str, str], ...]


def labelled_events(
    events: Sequence[ChangeEvent], labels: Labels
) -> list[LabelledEvent]:
    """Put a page of events into words, with one query per table referred to."""
    changes = labelled_changes([event.changes for event in events], labels)
    return [
        LabelledEvent(event, each) for event, each in zip(events, changes, strict=True)
    ]


def labelled_changes(
    changes: Iterable[Mapping[str, Any]], labels: Labels
) -> list[tuple[tuple[str, str, str], ...]]:
    """Put what changed in rows into words, with one query per table referred to."""
    recorded = [
        {
            name: pair
            for name, pair in each.items()
            if isinstance(pair, list | tuple) and len(pair) == len(("before", "after"))
        }
        for each in changes
    ]
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


def in_words(value: Any) -> str:
    """Return a recorded value as a reader expects it."""
    if value is None or value in ("", [], {}):
        return NOTHING
    if isinstance(value, bool):
        return gettext("yes") if value else gettext("no")
    if isinstance(value, list):
        return "; ".join(in_words(each) for each in value)
    if isinstance(value, dict):
        return ", ".join(f"{name}: {in_words(each)}" for name, each in value.items())
    return str(value)
