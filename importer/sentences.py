"""The error messages of wire fields: the wrong value and the violated rule.

The serializer replaces ``{{value}}``, since it knows the given value.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from django.utils.text import capfirst
from django.utils.translation import gettext_lazy as _
from rest_framework.exceptions import ErrorDetail

from importer.package.wire_values import short

# The second form is that of unformatted sentences.
_VALUE: Final = ("{{value}}", "{value}")
_MOST: Final = _("{{value}} is too large: give at most {max_value}.")
_LEAST: Final = _("{{value}} is too small: give at least {min_value}.")

ANY: Final[dict[str, Any]] = {
    "required": _("This value is required."),
    "null": _("null is not allowed here: give a value, or leave the property out."),
}
TEXT: Final[dict[str, Any]] = {
    **ANY,
    "invalid": _("{{value}} isn't a string: give text in quotation marks."),
    "blank": _("This must not be empty."),
    "max_length": _("{{value}} is too long: give at most {max_length} characters."),
    "min_length": _("{{value}} is too short: give at least {min_length} characters."),
    "control": _("Control characters are not allowed here: remove them."),
}
EMAIL: Final[dict[str, Any]] = {"invalid": _("{{value}} isn't an e-mail address.")}
CHOICE: Final[dict[str, Any]] = {
    **ANY,
    "invalid_choice": _("{{value}} isn't one of these: {choices}."),
}
BOOLEAN: Final[dict[str, Any]] = {
    **ANY,
    "invalid": _("{{value}} isn't true or false."),
}
INTEGER: Final[dict[str, Any]] = {
    **ANY,
    "invalid": _("{{value}} isn't a whole number."),
    "max_value": _MOST,
    "min_value": _LEAST,
    "max_string_length": _("This number has too many digits."),
}
DECIMAL: Final[dict[str, Any]] = {
    **INTEGER,
    "invalid": _("{{value}} isn't a number. Example: 12.5."),
    "max_digits": _("{{value}} has too many digits: give at most {max_digits}."),
    "max_decimal_places": _(
        "{{value}} has too many decimal places: give at most {max_decimal_places}."
    ),
    "max_whole_digits": _(
        "{{value}} is too large: give at most {max_whole_digits} digits before the "
        "decimal point."
    ),
}
DATE: Final[dict[str, Any]] = {
    **ANY,
    "invalid": _("{{value}} isn't a date: write it as {format}."),
    "no_such_day": _(
        "{{value}} isn't a date that exists: check the day and the month."
    ),
    "overflow": _("{{value}} is not within the years 1 to 9999."),
    "make_aware": _("{{value}} doesn't exist in the time zone {timezone}."),
    "offset": _("A date with a time needs an offset, such as Z or +02:00."),
}
UUID: Final[dict[str, Any]] = {**ANY, "invalid": _("{{value}} isn't a UUID.")}
OBJECT: Final[dict[str, Any]] = {
    **ANY,
    "invalid": _("Send a JSON object with the properties."),
}
LIST: Final[dict[str, Any]] = {
    **ANY,
    "not_a_list": _("{{value}} isn't an array."),
    "empty": _("The array is empty: give at least one element."),
    "min_length": _("The array is too short: give at least {min_length} elements."),
    "max_length": _("The array is too long: give at most {max_length} elements."),
}
FILE: Final[dict[str, Any]] = {
    **ANY,
    "required": _("Send a file in this field."),
    "invalid": _("Send a file in this field, not text."),
    "empty": _("The file is empty."),
    "no_name": _("The file has no name."),
    "max_length": _(
        "The name of the file is too long: give at most {max_length} characters."
    ),
}


def naming(detail: Any, value: Any) -> Any:
    """Return the details of an error with the wrong values filled in."""
    if isinstance(detail, ErrorDetail):
        text = str(detail)
        # Our own words at the start of a sentence get a capital letter; null, true, false
        # and the code or name of a row don't.
        is_word = text.startswith(_VALUE) and not (
            value is None or isinstance(value, bool)
        )
        for place in _VALUE:
            text = text.replace(place, short(value)) if place in text else text
        return ErrorDetail(capfirst(text) if is_word else text, detail.code)
    if isinstance(detail, Mapping):
        return {key: naming(each, _part(value, key)) for key, each in detail.items()}
    if isinstance(detail, Sequence) and not isinstance(detail, str):
        return [naming(each, value) for each in detail]
    return detail


def _part(value: Any, key: Any) -> Any:
    """Return the element of an array that an error is about, else the value."""
    is_element = isinstance(value, list) and isinstance(key, int)
    return value[key] if is_element and key < len(value) else value
