"""The widget for a job's input: the form of its data processor, or JSON for what has no
form. Its value is JSON in both cases."""

from __future__ import annotations

import json
from typing import Any, Final

from django import forms
from django.core.exceptions import ValidationError
from django.template.loader import render_to_string
from django.utils.safestring import SafeString

from platform_site.processing.forms import ProcessorForm
from platform_site.processing.processor import DataProcessor
from platform_site.processing.registry import find_processor
from platform_site.processing.services import new_input
from platform_site.scheduling.input_field import InputField

# Names the processor whose fields a form shows.
FORM_OF: Final = "input-form-of"
PREFIX: Final = "input"
_DEFAULT: Final = "default"


class ProcessorInput(forms.Textarea):
    """The fields of a processor's input; their values are those that differ from the
    defaults as they were shown."""

    processor = ""

    def render(
        self, name: str, value: Any, attrs: Any = None, renderer: Any = None
    ) -> SafeString:
        """Return the fields of the processor, or a field for JSON."""
        form = form_of(self.processor, value)
        context: dict[str, Any] = {"processor": self.processor, "form": form}
        if form is None:
            context["json"] = super().render(name, value, attrs, renderer)
        else:
            context["defaults"] = _defaults(form)
        return render_to_string("scheduling/processor_input.html", context)

    def value_from_datadict(self, data: Any, files: Any, name: str) -> Any:
        """Return the typed values as JSON."""
        shown = find_processor(data.get(FORM_OF, ""))
        if shown is None:
            return super().value_from_datadict(data, files, name)
        return json.dumps(typed_input(shown, data), ensure_ascii=False)

    def value_omitted_from_data(self, data: Any, files: Any, name: str) -> bool:
        """Return whether the form showed no input."""
        return FORM_OF not in data and name not in data

    def id_for_label(self, id_: str) -> str:
        """Return no id while there is more than one field."""
        return "" if form_of(self.processor, None) else id_


def form_of(name: str, value: Any) -> ProcessorForm | None:
    """Return the form of a processor with the values of a JSON object, None if it can't
    show them all."""
    processor = find_processor(name) if name else None
    values = _object(value)
    if processor is None or values is None:
        return None
    form = ProcessorForm(processor, prefix=PREFIX, given=values, with_files=False)
    return form if values.keys() <= form.fields.keys() else None


def typed_input(processor: type[DataProcessor], data: Any) -> dict[str, Any]:
    """Return the typed values that differ from the defaults, as wire values."""
    form = ProcessorForm(processor, data, prefix=PREFIX, with_files=False)
    form.is_valid()
    usual, found = new_input(processor), {}
    for name, value in form.wire_values.items():
        if isinstance(form.fields[name], forms.BooleanField):
            differs = value != usual[name]
        else:
            text = str(data.get(form.add_prefix(name), ""))
            differs = text != data.get(f"{_DEFAULT}-{name}", None)
        if differs:
            found[name] = value
    return found


def _defaults(form: ProcessorForm) -> list[tuple[str, str]]:
    """Return the name of a hidden field for each default, and the default as it is
    shown; "now" is another time when the form comes back."""
    usual = new_input(form.processor)
    return [
        (f"{_DEFAULT}-{name}", _as_shown(field, usual[name]))
        for name, field in form.fields.items()
        if not isinstance(field, forms.BooleanField)
    ]


def _as_shown(field: forms.Field, value: Any) -> str:
    shown = field.widget.format_value(value)
    text = shown[0] if isinstance(shown, list) and shown else shown
    return "" if text in (None, []) else str(text)


def _object(value: Any) -> dict[str, Any] | None:
    if value in (None, ""):
        return {}
    try:
        # What can't be stored can't be shown in fields either.
        values = InputField(required=False).clean(value)
    except ValidationError:
        return None
    return values if isinstance(values, dict) else None
