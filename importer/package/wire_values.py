"""Tell which JSON values each kind of property takes: one answer for schema and check.

Only the type is judged here. Lengths, ranges and whether a date exists are the
services' to judge, with the words a form or the API would use.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from decimal import Decimal
from typing import Any

from importer.package import tokens
from importer.package.fields import FieldKind, FieldSpec

DECIMAL_LIMIT = 10**14
DECIMAL_TEXT = r"^-?[0-9]+(\.[0-9]+)?$(?!\n)"
NOT_DOLLAR = r"^(?!\$)"
IDENTIFIER = r"^(?!\$)[^\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]*$"
DATE_TEXT = rf"^(?!\$)|^({tokens.PATTERN})$(?!\n)"
_LONG = 10**60
_decimal_text = re.compile(DECIMAL_TEXT)
_identifier = re.compile(IDENTIFIER)

EXPECTED = {
    FieldKind.TEXT: "a text",
    FieldKind.INTEGER: "a whole number",
    FieldKind.DECIMAL: "a decimal number",
    FieldKind.BOOLEAN: "true or false",
    FieldKind.DATE: "a date",
    FieldKind.DATE_TIME: "a date and time",
    FieldKind.REFERENCE: 'a reference, {"$ref": id} or {"$code": code},',
    FieldKind.LINES: "an array of lines",
}


def is_identifier(text: str) -> bool:
    """Tell whether a text may name a package, an object or a code (OPEN-04, 26).

    Control characters are refused as in every other text: no table could find them.
    """
    if text.isprintable():
        return text[:1] != "$"
    return _identifier.search(text) is not None


def not_an_identifier(text: str) -> str:
    """Say why a text may name nothing."""
    if text.startswith("$"):
        return "may not start with $"
    return "may hold no control characters"


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
        # Compared, never converted: int(Decimal("1E3000000")) would not come back.
        return bool(-DECIMAL_LIMIT < value < DECIMAL_LIMIT)
    return kind is str and _decimal_text.search(value) is not None


def fits(field: FieldSpec) -> Callable[[Any], bool]:
    """Return the test of a scalar property's JSON type; null is not put to it."""
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
    """Show a value inside a message, cut to what a line can bear."""
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, list):
        return "an array"
    if isinstance(value, int) and abs(value) >= _LONG:
        # Python refuses to write a number of thousands of digits.
        return "a very large number"
    text = f'"{value}"' if isinstance(value, str) else str(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def misfit(field: FieldSpec, value: Any) -> str:
    """Say why a value that does not fit is refused."""
    if isinstance(value, str) and value[:1] == "$":
        if tokens.is_token(value):
            return f"the token {short(value)} may stand only in a date"
        return (
            f"{short(value)} starts with $ but is no token; "
            "the tokens are $now, $today and $today±Nd"
        )
    if field.kind is FieldKind.DECIMAL and type(value) in (int, Decimal):
        return f"may have at most 14 digits before the point; it is {short(value)}"
    if field.kind is FieldKind.CHOICE:
        return f"must be one of {', '.join(field.choices)}, not {short(value)}"
    if field.only is not None and type(value) is bool:
        return f"must be {short(field.only)}, as the step says by submit"
    return f"must be {EXPECTED[field.kind]}, not {short(value)}".replace(",,", ",")
