"""Reads JSON that somebody sent or typed: numbers exactly, no key twice, and nothing that
could not be written down again."""

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
    """Return the value, its fractions made by ``number``.

    JSONDecodeError with the place for what is no JSON, ValueError with a reason for
    values that are none, DuplicateKey, and RecursionError where it is nested too deeply.
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
            raise ValueError(_("a text contains half a surrogate pair")) from None
    return value


def _int(digits: str) -> int:
    # Python itself refuses more than some thousands, with advice for programmers.
    if len(digits) > 1000:
        raise ValueError(_("a number has more than 1,000 digits"))
    return int(digits)


def _none(name: str) -> Never:
    raise ValueError(_("%s isn't a JSON number") % name)
