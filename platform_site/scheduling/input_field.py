"""The form field for a job's input as JSON."""

from __future__ import annotations

import json
import math
from typing import Any, Final

from django import forms
from django.core.exceptions import ValidationError
from django.forms.fields import InvalidJSONInput
from django.utils.translation import gettext as _

from importer import DuplicateKey
from platform_site.records.json_texts import read_json

# Far deeper than any processor needs, and far below what a page couldn't show.
_DEEPEST: Final = 50


class InputField(forms.JSONField):
    """A JSON field for input that a database can store and a page can show."""

    def to_python(self, value: Any) -> Any:
        """Return the value; raise ValidationError with the reason for invalid JSON."""
        if not isinstance(value, str) or self.disabled or value in self.empty_values:
            return super().to_python(value)
        try:
            _check(read_json(value, _fraction))
        except json.JSONDecodeError:
            pass  # Django has a message for it.
        except DuplicateKey as doubled:
            sentence = _("One object has the key “%(key)s” twice.")
            raise ValidationError(
                sentence, code="doubled_key", params={"key": doubled.key}
            ) from None
        except RecursionError:
            sentence = _("The input is nested too deeply.")
            raise ValidationError(sentence, code="nested") from None
        except ValueError as error:
            sentence = _("The input can't be saved: %(reason)s.")
            raise ValidationError(
                sentence, code="invalid", params={"reason": error}
            ) from None
        return super().to_python(value)

    def bound_data(self, data: Any, initial: Any) -> Any:
        """Return the text as typed, even if it is refused."""
        try:
            self.to_python(data)
        except ValidationError:
            return None if data is None else InvalidJSONInput(data)
        return super().bound_data(data, initial)


def _fraction(digits: str) -> float:
    number = float(digits)
    if math.isinf(number):
        raise ValueError(_("a number is too large"))
    return number


def _check(value: Any, depth: int = 0) -> None:
    """Refuse deeply nested values, and characters that databases can't store."""
    if depth > _DEEPEST:
        raise RecursionError
    if isinstance(value, str) and "\0" in value:
        raise ValueError(_("a string contains the character U+0000"))
    inside = [*value, *value.values()] if isinstance(value, dict) else value
    for one in inside if isinstance(inside, list) else ():
        _check(one, depth + 1)
