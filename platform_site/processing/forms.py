"""The form of a processor's page, made from its declared input. It only converts input
to wire values, which have the rules."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django import forms
from django.utils import timezone
from django.utils.choices import CallableChoiceIterator
from rest_framework import serializers

from importer.targets import ReferenceField
from platform_site.files.fields import FileField
from platform_site.processing.processor import DataProcessor
from platform_site.processing.services import new_input
from platform_site.records.errors import Refusal

_WHOLE = re.compile(r"[+-]?[0-9]{1,18}")


class ProcessorForm(forms.Form):
    """The form for the input of one processor, with the given values and the defaults
    of the others."""

    def __init__(
        self,
        processor: type[DataProcessor],
        data: Any = None,
        files: Any = None,
        *,
        given: Mapping[str, Any] | None = None,
        prefix: str | None = None,
        with_files: bool = True,
    ) -> None:
        values = {**new_input(processor), **(given or {})}
        super().__init__(data, files, initial=values, prefix=prefix)
        self.processor = processor
        self._declared = {
            name: field
            for name, field in processor.Input().fields.items()
            if with_files or not isinstance(field, FileField)
        }
        for name, field in self._declared.items():
            shown = _form_field(field)
            shown.label, shown.help_text = str(field.label), str(field.help_text or "")
            shown.required = False
            self.fields[name] = shown

    @property
    def files_given(self) -> dict[str, Any]:
        """Return the uploaded files by wire name."""
        return {
            name: self.cleaned_data[name]
            for name, field in self._declared.items()
            if isinstance(field, FileField) and self.cleaned_data.get(name)
        }

    @property
    def wire_values(self) -> dict[str, Any]:
        """Return the input as wire values, without files."""
        return {
            name: _wire(field, self.cleaned_data.get(name))
            for name, field in self._declared.items()
            if not isinstance(field, FileField)
        }

    def show(self, refusal: Refusal) -> None:
        """Show each problem of a refusal at its field."""
        for problem in refusal.problems:
            known = problem.path in self.fields
            self.add_error(problem.path if known else None, problem.message)


def _form_field(field: Any) -> forms.Field:
    if isinstance(field, FileField):
        attributes = {"accept": field.accept} if field.accept else {}
        picker = forms.FileInput(attrs=attributes)
        return forms.FileField(widget=picker, allow_empty_file=True)
    if isinstance(field, serializers.BooleanField):
        return forms.BooleanField()
    return forms.CharField(widget=_widget(field), strip=False)


def _widget(field: Any) -> forms.Widget:
    """Return the widget of a field; the wire field validates its value."""
    if isinstance(field, serializers.ChoiceField):
        return forms.Select(choices=[*_nothing(field), *field.choices.items()])
    if isinstance(field, ReferenceField):
        live = field.to._base_manager.all()
        if any(column.name == "is_deleted" for column in field.to._meta.fields):
            live = live.filter(is_deleted=False)
        # Called only when the page is shown.
        choices = CallableChoiceIterator(
            lambda: [("", "—"), *((row.pk, str(row)) for row in live)]
        )
        return forms.Select(choices=choices)
    if isinstance(field, serializers.DateTimeField):
        return _LocalTime(attrs={"type": "datetime-local", "step": "1"})
    if isinstance(field, serializers.DateField):
        return forms.TextInput(attrs={"type": "date"})
    if isinstance(field, serializers.IntegerField):
        return forms.NumberInput()
    return forms.TextInput(attrs={"class": "vTextField"})


def _nothing(field: Any) -> list[tuple[str, str]]:
    return [("", "—")] if field.allow_null or field.allow_blank else []


class _LocalTime(forms.TextInput):
    """A widget that shows a time in the reader's zone."""

    def format_value(self, value: Any) -> str:
        """Return the time without its offset."""
        try:
            moment = datetime.fromisoformat(value)
            local = timezone.make_naive(moment)
        except (TypeError, ValueError, OverflowError):
            return str(value)
        return local.isoformat(timespec="seconds")


def _wire(field: Any, typed: Any) -> Any:
    """Return a form value as a wire value."""
    if typed == "" and field.allow_null:
        return None
    if isinstance(field, serializers.IntegerField) and _WHOLE.fullmatch(typed.strip()):
        return int(typed)
    if isinstance(field, serializers.DateTimeField):
        try:
            moment = datetime.fromisoformat(typed)
            return timezone.make_aware(moment).isoformat()
        except (ValueError, OverflowError):
            return typed
    return typed
