"""Forms that turn input into wire values for the services and show their refusals at
the fields."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from functools import cached_property
from typing import Any, ClassVar

from django import forms
from django.contrib.admin.widgets import AutocompleteSelect
from django.db import models
from django.http import HttpRequest
from django.utils.translation import gettext as _

from platform_site.changes.labels import in_words
from platform_site.records.errors import Problem
from platform_site.records.models import Record

MOST_VERSION = 2147483647
MOST_KEY_DIGITS = 18


@dataclass(frozen=True)
class Complaint:
    """The problems of a refusal as (form field or None, sentence), or a stale form.

    ``parts`` are the problems inside parts of the row, which have their own forms.
    """

    errors: tuple[tuple[str | None, str], ...] = ()
    parts: tuple[Problem, ...] = ()
    stale: bool = False


class WireForm(forms.ModelForm[Record]):
    """A form that only parses: the services check rules, limits and unique values."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for field in self.fields.values():
            field.validators = []
            if isinstance(field, forms.ModelChoiceField) and field.queryset is not None:
                # Rules check which rows may be chosen; the widget only offers them.
                field.queryset = field.queryset.model._base_manager.all()

    def typed_values(self, properties: Iterable[tuple[str, str]]) -> dict[str, Any]:
        """Return all values as wire values."""
        return {
            name: _wire(self.cleaned_data[field])
            for name, field in properties
            if field in self.cleaned_data
        }

    def _post_clean(self) -> None:
        """Do nothing: the services write the row."""


class RecordForm(WireForm):
    """The form of one row, with the version that was shown."""

    expected_version = forms.IntegerField(
        widget=forms.HiddenInput, min_value=1, max_value=MOST_VERSION
    )
    complaint: ClassVar[Complaint] = Complaint()

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        version = self.fields.pop("expected_version")
        if not self.instance._state.adding:
            self.fields["expected_version"] = version
            self.initial["expected_version"] = self.instance.version

    @cached_property
    def changed_data(self) -> list[str]:
        """Return the changed fields, ignoring line breaks that browsers convert."""
        return [name for name in super().changed_data if not self._same_text(name)]

    def _same_text(self, name: str) -> bool:
        shown, typed = self[name].initial, self[name].data
        if not (isinstance(shown, str) and isinstance(typed, str)):
            return False
        if isinstance(self.fields[name].widget, forms.Textarea):
            return _lines(shown) == _lines(typed)
        # Browsers remove line breaks from single-line fields.
        return shown.replace("\r", "").replace("\n", "") == typed

    def wire_values(self, properties: Iterable[tuple[str, str]]) -> dict[str, Any]:
        """Return all values of a new row, or the changed ones of an existing row."""
        new = self.instance._state.adding
        return self.typed_values(
            (name, field)
            for name, field in properties
            if new or field in self.changed_data
        )

    def _post_clean(self) -> None:
        """Keep the row unchanged for comparison by the services; show their refusal."""
        for field, sentence in self.complaint.errors:
            known = field is not None and field in self.fields
            self.add_error(field if known else None, sentence)
        if self.complaint.stale:
            self._show_what_is_stored()

    def _show_what_is_stored(self) -> None:
        for name in self.changed_data:
            if name != "expected_version" and name in self.fields:
                stored = _stored(self.instance, name)
                self.add_error(name, _("Stored value: %(value)s") % {"value": stored})


class ReferenceSelect(AutocompleteSelect):
    """A field to look up a row while typing; it shows nothing for what can be no
    key."""

    @property
    def media(self) -> forms.Media:
        """Return Django's scripts, and the one that gives the field its name back."""
        # After the script that replaces it.
        own = ["admin/js/autocomplete.js", "records/names.js"]
        return super().media + forms.Media(js=own)

    def optgroups(self, name: str, value: Sequence[str], attrs: Any = None) -> Any:
        """Return the selected row; the database is queried only with a key."""
        return super().optgroups(name, [v for v in value if is_key(v)], attrs)


def names_seen(
    field: Any, request: HttpRequest, site: Any, known: Iterable[Any] = ()
) -> None:
    """Let a field name the rows a reader may see, and those known; others by their keys.

    Without it anybody could read the name of every row by sending its key.
    """
    page = site.get_model_admin(field.queryset.model)
    if page.has_view_permission(request):
        return
    seen = set(known)
    field.label_from_instance = lambda row: str(row) if row.pk in seen else f"#{row.pk}"


def stored_key(request: HttpRequest) -> int | None:
    """Return the key of the row that a page shows, None if there is none."""
    match = request.resolver_match
    text = "" if match is None else str(match.kwargs.get("object_id", ""))
    return int(text) if is_key(text) else None


def is_key(text: str) -> bool:
    """Return whether a received text can be the key of a row."""
    return text.isascii() and text.isdigit() and len(text) <= MOST_KEY_DIGITS


def _wire(value: Any) -> Any:
    if isinstance(value, models.Model):
        return value.pk
    if isinstance(value, date) and not isinstance(value, datetime):
        return value.isoformat()  # dates are texts on the wire
    return _lines(value) if isinstance(value, str) else value


def _lines(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n").strip()


def _stored(row: Record, name: str) -> str:
    display = getattr(row, f"get_{name}_display", None)
    return in_words(display() if display is not None else getattr(row, name))
