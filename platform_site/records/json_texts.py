"""A strict JSON reader for input: exact numbers, no duplicate keys, and no values that
can't be written again."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from decimal import Decimal
from typing import Any, Final, Never

from django.utils.translation import gettext as _

from importer import without_duplicate_keys

_HALF_PAIR: Final = re.compile(r"\\u[dD][89a-fA-F]|[\ud800-\udfff]")


def read_json(text: str, number: Callable[[str], Any] = Decimal) -> Any:
    """Return the value; ``number`` converts its fractions.

    Raise JSONDecodeError with the place for invalid JSON, ValueError with a reason for
    unsupported values, DuplicateKey, and RecursionError if it is nested too deeply.
    """
    value = json.loads(
        text,
        parse_float=number,
        parse_int=_int,
        parse_constant=_none,
        object_pairs_hook=without_duplicate_keys,
    )
    if _HALF_PAIR.search(text):
        try:
            json.dumps(value, ensure_ascii=False, default=str).encode()
        except UnicodeEncodeError:
            raise ValueError(_("a string contains half a surrogate pair")) from None
    return value


def _int(digits: str) -> int:
    # Python itself refuses more digits, with a message for programmers.
    if len(digits) > 1000:
        raise ValueError(_("a number has more than 1,000 digits"))
    return int(digits)


def _none(name: str) -> Never:
    raise ValueError(_("%s isn't a JSON number") % name)
