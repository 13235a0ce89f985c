"""The JSON values that each kind of property accepts, used by schema and check.

Only types are checked here. The services check lengths, ranges and the existence of
dates, with the messages of forms and the API.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from decimal import Decimal
from typing import Any

from importer.package import tokens
from importer.package.fields import FieldKind, FieldSpec
from importer.package.printable_text import LONGEST_VALUE, printable
from importer.package.suggestions import did_you_mean
from importer.package.translation import gettext as _, gettext_noop

DECIMAL_LIMIT = 10**14
DECIMAL_TEXT = r"^-?[0-9]+(\.[0-9]+)?$(?!\n)"
NOT_DOLLAR = r"^(?!\$)"
IDENTIFIER = r"^(?!\$)[^\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]*$"
DATE_TEXT = rf"^(?!\$)|^({tokens.PATTERN})$(?!\n)"
_LONG = 10**60
_decimal_text = re.compile(DECIMAL_TEXT)
_identifier = re.compile(IDENTIFIER)

EXPECTED = {
    FieldKind.TEXT: gettext_noop("must be a string, not %(value)s"),
    FieldKind.INTEGER: gettext_noop("must be a whole number, not %(value)s"),
    FieldKind.DECIMAL: gettext_noop("must be a decimal number, not %(value)s"),
    FieldKind.BOOLEAN: gettext_noop("must be true or false, not %(value)s"),
    FieldKind.DATE: gettext_noop("must be a date, not %(value)s"),
    FieldKind.DATE_TIME: gettext_noop("must be a date and time, not %(value)s"),
    FieldKind.REFERENCE: gettext_noop(
        'must be a reference, {"$ref": id} or {"$code": code}, not %(value)s'
    ),
    FieldKind.LINES: gettext_noop("must be an array of lines, not %(value)s"),
}

CODES = {
    FieldKind.TEXT: "not-a-text",
    FieldKind.INTEGER: "not-a-number",
    FieldKind.DECIMAL: "not-a-number",
    FieldKind.BOOLEAN: "not-a-boolean",
    FieldKind.CHOICE: "not-a-choice",
    FieldKind.DATE: "not-a-date",
    FieldKind.DATE_TIME: "not-a-date",
    FieldKind.REFERENCE: "not-a-reference",
    FieldKind.LINES: "not-a-list",
}


def is_identifier(text: str) -> bool:
    """Return whether a text can name a package, an object or a code (OPEN-04, 26).

    Control characters are refused as in any text: no table could contain them.
    """
    if text.isprintable():
        return text[:1] != "$"
    return _identifier.search(text) is not None


def not_an_identifier(text: str) -> str:
    """Return why a text can't be a name."""
    if text.startswith("$"):
        return _("must not start with $")
    return _("must not contain control characters")


def _is_text(value: Any) -> bool:
    return type(value) is str and value[:1] != "$"


def _is_date(value: Any) -> bool:
    return type(value) is str and (value[:1] != "$" or tokens.is_token(value))


def _is_integer(value: Any) -> bool:
    return type(value) is int


def _is_boolean(value: Any) -> bool:
    return type(value) is bool


def _is_decimal(value: Any) -> bool:
    kind = type(value)
    if kind is Decimal or kind is int:
        # Compared without conversion: int(Decimal("1E3000000")) would practically never return.
        return bool(-DECIMAL_LIMIT < value < DECIMAL_LIMIT)
    return kind is str and _decimal_text.search(value) is not None


def fits(field: FieldSpec) -> Callable[[Any], bool]:
    """Return the test for the JSON type of a scalar property; null isn't tested."""
    if field.kind is FieldKind.CHOICE:
        choices = frozenset(field.choices)
        return lambda value: type(value) is str and value in choices
    if field.only is not None:
        return lambda value: value is field.only
    return {
        FieldKind.TEXT: _is_text,
        FieldKind.INTEGER: _is_integer,
        FieldKind.DECIMAL: _is_decimal,
        FieldKind.BOOLEAN: _is_boolean,
        FieldKind.DATE: _is_date,
        FieldKind.DATE_TIME: _is_date,
    }[field.kind]


def short(value: Any) -> str:
    """Return a value for messages, cut to one line."""
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, dict):
        return _("an object")
    if isinstance(value, list):
        return _("an array")
    if isinstance(value, int) and abs(value) >= _LONG:
        # Python refuses to convert a number with thousands of digits.
        return _("a very large number")
    if isinstance(value, str):
        return f'"{value}"' if len(value) <= 58 else f'"{value[:55]}..."'
    text = str(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def as_text(value: Any) -> str | None:
    """Return a scalar as text for a problem, None if it isn't a scalar."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return printable(value[:LONGEST_VALUE])
    if isinstance(value, int) and abs(value) < _LONG:
        return str(value)
    return str(value)[:LONGEST_VALUE] if isinstance(value, Decimal) else None


def misfit(field: FieldSpec, value: Any) -> str:
    """Return why a value is refused."""
    hint = ""
    if isinstance(value, str) and value[:1] == "$":
        if tokens.is_token(value):
            sentence = _("the token %(value)s is allowed only in a date")
        else:
            sentence = _(
                "%(value)s starts with $ but isn't a token; the tokens are $now, "
                "$today and $today±Nd"
            )
            hint = did_you_mean(value, tokens.PLAIN)
    elif field.kind is FieldKind.DECIMAL and type(value) in (int, Decimal):
        sentence = _(
            "may have at most 14 digits before the decimal point; it is %(value)s"
        )
    elif field.kind is FieldKind.CHOICE:
        sentence = _("must be one of %(choices)s, not %(value)s")
        hint = did_you_mean(value, field.choices)
    elif field.only is not None and type(value) is bool:
        sentence = _("must be %(only)s because of submit in the step")
    else:
        sentence = _(EXPECTED[field.kind])
    return (
        sentence
        % {
            "value": short(value),
            "choices": ", ".join(field.choices),
            "only": short(field.only),
        }
        + hint
    )
