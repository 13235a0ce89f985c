"""Serializer fields that accept exactly the documented JSON values, for API and
packages.

DRF's own fields also accept a number as text, ``"yes"`` as true and ``1`` as a choice.
"""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, time
from decimal import Decimal
from typing import Any, ClassVar, NoReturn

from django.core.validators import (
    MaxLengthValidator,
    ProhibitNullCharactersValidator,
)
from django.utils import timezone
from django.utils.functional import cached_property
from rest_framework import serializers
from rest_framework.fields import empty
from rest_framework.validators import ProhibitSurrogateCharactersValidator

from importer import sentences

_HUGE = 10**1000
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]|[\ud800-\udfff]")
_USUAL_VALIDATORS = {
    MaxLengthValidator,
    ProhibitNullCharactersValidator,
    ProhibitSurrogateCharactersValidator,
}
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_OFFSET = re.compile(r"([zZ]|[+-][0-9]{2}(:?[0-9]{2})?)$")
_MOMENT = "YYYY-MM-DD or YYYY-MM-DDThh:mm:ssZ"
_DECIMAL = re.compile(r"-?[0-9]+(\.[0-9]+)?")


class CodedField:
    """A field whose errors have their own code for values of a wrong type.

    DRF calls them all ``invalid``, which doesn't say what would be valid.
    """

    wrong_kind: ClassVar[str] = "invalid"
    error_messages: dict[str, Any]

    def fail(self, key: str, **kwargs: Any) -> NoReturn:
        """Raise the error with its code."""
        message = str(self.error_messages[key]).format(**kwargs)
        code = self.wrong_kind if key == "invalid" else key
        raise serializers.ValidationError(message, code=code)


class TextField(CodedField, serializers.CharField):
    """A text without control characters; null clears an optional one."""

    wrong_kind = "not_a_text"

    default_error_messages: ClassVar[dict[str, Any]] = sentences.TEXT

    def run_validation(self, data: Any = empty) -> Any:
        """Accept null as empty if the text may be empty."""
        if data is None and self.allow_blank and not self.allow_null:
            return ""
        if data is not None and data is not empty and not isinstance(data, str):
            # Before DRF converts it to text: a number may have too many digits.
            self.fail("invalid")
        if self._only_length and type(data) is str and not _CONTROL.search(data):
            # The same checks as below, which take five times as long.
            text = data.strip()
            if text and (self.max_length is None or len(text) <= self.max_length):
                return text
        if isinstance(data, str) and _CONTROL.search(data):
            self.fail("control")  # some count as white space when a text is trimmed
        return super().run_validation(data)

    @cached_property
    def _only_length(self) -> bool:
        """Return whether a text can only have a wrong length or characters."""
        usual = type(self).to_internal_value is TextField.to_internal_value
        own = {type(each) for each in self.validators} - _USUAL_VALIDATORS
        return usual and self.trim_whitespace and not own

    def to_internal_value(self, data: Any) -> str:
        """Return the text, trimmed."""
        if not isinstance(data, str):
            self.fail("invalid")
        if _CONTROL.search(data):
            self.fail("control")
        return super().to_internal_value(data)


class EmailField(TextField, serializers.EmailField):
    """An email address, with the rules of every other text."""

    default_error_messages: ClassVar[dict[str, Any]] = sentences.EMAIL


class ChoiceField(CodedField, serializers.ChoiceField):
    """One of the listed texts; other types are refused."""

    default_error_messages: ClassVar[dict[str, Any]] = sentences.CHOICE

    def fail(self, key: str, **kwargs: Any) -> NoReturn:
        """Raise the error with its code and the choices."""
        names = ", ".join(str(choice) for choice in self.choices)
        super().fail(key, choices=names, **kwargs)

    def to_internal_value(self, data: Any) -> Any:
        """Return the choice."""
        if not isinstance(data, str):
            self.fail("invalid_choice")
        return super().to_internal_value(data)


class BooleanField(CodedField, serializers.BooleanField):
    """``true`` or ``false``, nothing else."""

    wrong_kind = "not_a_boolean"
    default_error_messages: ClassVar[dict[str, Any]] = sentences.BOOLEAN

    def run_validation(self, data: Any = empty) -> Any:
        """Accept null as the default of an optional value."""
        if data is None and not self.required and not self.allow_null:
            return False
        return super().run_validation(data)

    def to_internal_value(self, data: Any) -> bool:
        """Return the boolean."""
        if type(data) is not bool:
            self.fail("invalid", input=data)
        return data


class IntegerField(CodedField, serializers.IntegerField):
    """A whole JSON number."""

    wrong_kind = "not_a_number"
    default_error_messages: ClassVar[dict[str, Any]] = sentences.INTEGER

    def to_internal_value(self, data: Any) -> int:
        """Return the number."""
        if type(data) is not int:
            self.fail("invalid")
        return data


class DecimalField(CodedField, serializers.DecimalField):
    """A decimal: accepts a JSON number or a text of digits, returns an exact text."""

    wrong_kind = "not_a_number"
    default_error_messages: ClassVar[dict[str, Any]] = sentences.DECIMAL

    def run_validation(self, data: Any = empty) -> Any:
        """Refuse a whole number that is too long for Python to convert to text."""
        if type(data) is int and abs(data) >= _HUGE:
            self.fail("max_string_length")
        return super().run_validation(data)

    def validate_empty_values(self, data: Any) -> tuple[bool, Any]:
        """Accept only null as empty: a text without digits isn't a number."""
        if isinstance(data, str):
            return False, data
        return super().validate_empty_values(data)

    def to_internal_value(self, data: Any) -> Decimal:
        """Return the exact decimal, without converting through a binary fraction."""
        if isinstance(data, str):
            if not _DECIMAL.fullmatch(data.strip()):
                self.fail("invalid")
        elif type(data) not in (int, float, Decimal):
            self.fail("invalid")
        value: Decimal = super().to_internal_value(data)
        # Minus zero would be another text for the same number.
        return value if value else abs(value)


class DateTimeField(CodedField, serializers.DateTimeField):
    """An ISO 8601 time with offset, or a bare date: midnight in the active zone."""

    wrong_kind = "not_a_date"

    default_error_messages: ClassVar[dict[str, Any]] = sentences.DATE

    def to_internal_value(self, value: Any) -> datetime:
        """Return the instant in UTC, within the years 1 to 9999."""
        if isinstance(value, str):
            value = value.strip()
            if _DATE.fullmatch(value):
                return self._midnight(value)
            # Python accepts any separator between date and time, even the sign of an offset.
            if not _DATE.fullmatch(value[:10]) or value[10] not in "Tt ":
                self.fail("invalid", format=_MOMENT)
            refuse_no_day(self, value[:10])
            if not _OFFSET.search(value[10:]):
                self.fail("offset")
        try:
            return super().to_internal_value(value).astimezone(UTC)
        except OverflowError:
            self.fail("overflow")

    def _midnight(self, text: str) -> datetime:
        # Not with DRF, which refuses a midnight skipped by daylight saving time.
        refuse_no_day(self, text)
        try:
            day = date.fromisoformat(text)
            zone = timezone.get_current_timezone()
            return datetime.combine(day, time(), zone).astimezone(UTC)
        except OverflowError:
            self.fail("overflow")


class DateField(CodedField, serializers.DateField):
    """A complete ISO 8601 date, such as 2026-07-01."""

    wrong_kind = "not_a_date"
    default_error_messages: ClassVar[dict[str, Any]] = sentences.DATE

    def to_internal_value(self, value: Any) -> date:
        """Return the date."""
        if not isinstance(value, str) or not _DATE.fullmatch(value.strip()):
            self.fail("invalid", format="YYYY-MM-DD")
        refuse_no_day(self, value.strip())
        return super().to_internal_value(value.strip())


def refuse_no_day(field: CodedField, text: str) -> None:
    """Raise the error of a date that doesn't exist, such as 2026-02-30."""
    try:
        date.fromisoformat(text)
    except ValueError:
        field.fail("no_such_day")


class NumberField(CodedField, serializers.IntegerField):
    """A whole number in a query, where all values are texts."""

    wrong_kind = "not_a_number"

    default_error_messages: ClassVar[dict[str, Any]] = sentences.INTEGER


class UUIDField(CodedField, serializers.UUIDField):
    """A UUID in a query."""

    wrong_kind = "not_a_uuid"

    default_error_messages: ClassVar[dict[str, Any]] = sentences.UUID


class ListField(serializers.ListField):
    """An array, refused in our own sentences."""

    default_error_messages: ClassVar[dict[str, Any]] = sentences.LIST
