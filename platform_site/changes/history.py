"""The page behind the History button of a row: its change events in the words of its
pages, instead of the log that Django keeps of what was done in the administration."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Protocol

from django.contrib import admin
from django.contrib.admin.utils import unquote
from django.db.models import DateField
from django.utils.dateparse import parse_date, parse_datetime
from django.utils.formats import date_format
from django.utils.text import capfirst
from django.utils.timezone import is_aware, localtime

from platform_site.changes.admin import in_words, link_runs
from platform_site.changes.models import ChangeEvent

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from django.db.models import Model
    from django.http import HttpRequest, HttpResponse

    _ModelAdmin = admin.ModelAdmin[Any]
else:
    _ModelAdmin = admin.ModelAdmin

PAGE: Final = 50


class Words(Protocol):
    """Say what recorded properties of a model and their values are called."""

    def label(self, name: str) -> str:
        """Return what a property is called on a page."""

    def text(self, name: str, value: Any, texts: Any) -> str:
        """Return a recorded value as a reader expects it."""

    def texts(self, recorded: Iterable[Mapping[str, Iterable[Any]]]) -> Any:
        """Look up what `text` needs for all of them at once."""


class ColumnWords:
    """The words of a model whose events name its columns, spelled as on the wire."""

    def __init__(self, model: type[Model]) -> None:
        self._fields = {
            field.name.replace("_", ""): field for field in model._meta.fields
        }

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
    return in_words(value)


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
class Told:
    """Hold one event with its changes in words: (property, before, after)."""

    event: ChangeEvent
    changes: tuple[tuple[str, str, str], ...]


class HistoryMixin(_ModelAdmin):
    """Show the change events of a row behind its History button (OPEN-81).

    For models with a `catalog_name`, the name their events are recorded under.
    """

    object_history_template = "changes/history.html"

    @property
    def words(self) -> Words:
        """Return the words of the model's events."""
        return ColumnWords(self.model)

    def history_view(
        self,
        request: HttpRequest,
        object_id: str,
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        """Show a page of the events, newest first."""
        row = self.get_object(request, unquote(object_id))
        page = None
        if row is not None:
            events = ChangeEvent.objects.filter(model=row.catalog_name, row_id=row.pk)
            pages = self.get_paginator(request, events, PAGE)
            page = pages.get_page(request.GET.get("p", 1))
        shown = list(page) if page else []
        link_runs(shown, request.user)
        context = {"events": page, "told": told(shown, self.words)}
        return super().history_view(
            request, object_id, {**context, **(extra_context or {})}
        )

    def log_addition(self, request: HttpRequest, obj: Any, message: Any) -> Any:
        """Write nothing: the services have recorded the change."""

    log_change = log_addition
    log_deletion = log_addition

    def log_deletions(self, request: HttpRequest, queryset: Any) -> Any:
        """Write nothing, as above."""


def told(events: Sequence[ChangeEvent], words: Words) -> list[Told]:
    """Put a page of events into words, with one query per table referred to."""
    recorded = [
        {
            name: pair
            for name, pair in event.changes.items()
            if isinstance(pair, list) and len(pair) == len(("before", "after"))
        }
        for event in events
    ]
    texts = words.texts(recorded)
    return [
        Told(
            event,
            tuple(
                (
                    words.label(name),
                    words.text(name, before, texts),
                    words.text(name, after, texts),
                )
                for name, (before, after) in changes.items()
            ),
        )
        for event, changes in zip(events, recorded, strict=True)
    ]
