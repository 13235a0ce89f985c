"""The scanners that read one JSON value from a text, and what they refuse: long numbers,
NaN, duplicate keys."""

from __future__ import annotations

import json
import re
from decimal import Decimal
from typing import Any, NoReturn

from importer.package.duplicate_keys import without_duplicate_keys
from importer.package.translation import gettext as _

MAX_DIGITS = 1000


class RefusedValue(Exception):
    """A refused value; not a ValueError, which tells the scanner that a text is
    truncated."""


def _too_long() -> RefusedValue:
    sentence = _("a number may have at most %(most)s digits")
    return RefusedValue(sentence % {"most": MAX_DIGITS})


def _integer(text: str) -> int:
    if len(text) > MAX_DIGITS:
        raise _too_long()
    return int(text)


def _decimal(text: str) -> Decimal:
    if len(text) > MAX_DIGITS:
        raise _too_long()
    try:
        return Decimal(text)
    except ArithmeticError:
        sentence = _("the number %(number)s is out of range")
        raise RefusedValue(sentence % {"number": text[:40]}) from None


def _constant(name: str) -> NoReturn:
    raise RefusedValue(_("%(name)s is not a JSON number") % {"name": name})


_decoder: Any = json.JSONDecoder(
    parse_int=_integer,
    parse_float=_decimal,
    parse_constant=_constant,
    object_pairs_hook=without_duplicate_keys,
)
scan = _decoder.scan_once
# Without calls of Python for each object and number, and without their checks.
_unchecked: Any = json.JSONDecoder(parse_float=Decimal, parse_constant=_constant)
scan_unchecked = _unchecked.scan_once
long_number = re.compile(rf"[-+.\dEe]{{{MAX_DIGITS + 1}}}")


def too_deep() -> str:
    """Return the message for values that are nested too deeply."""
    return _("the values are nested too deeply")


def half_a_pair() -> str:
    """Return the message for a text with a lone surrogate."""
    return _("a string contains half a surrogate pair")


def read_value(text: str) -> Any:
    """Read one complete JSON value from a text."""
    return scan(text, 0)[0]


def explain_json_error(error: json.JSONDecodeError) -> str:
    """Return why a whole text isn't valid JSON, without the place."""
    written = len(error.doc.rstrip())
    return plain_reason(error.msg, ended=0 < written <= error.pos)


def plain_reason(reason: str, *, ended: bool) -> str:
    """Return the scanner's error as our own sentence."""
    if ended or reason.startswith("Unterminated string"):
        return _("the JSON ends in the middle of a value")
    known = {
        "Expecting value": _("a value is missing or invalid"),
        "Expecting ',' delimiter": _("a comma is missing"),
        "Expecting ':' delimiter": _("a colon is missing after the key"),
        "Expecting property name enclosed in double quotes": _(
            "a key in double quotes is missing"
        ),
        "Illegal trailing comma before end of object": _("there is an extra comma"),
        "Invalid control character at": _("a string contains a control character"),
        "Extra data": _("there is content after the end of the value"),
    }
    return known.get(reason, reason[:1].lower() + reason[1:])
