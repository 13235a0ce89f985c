"""The refusal of JSON objects with a duplicate key, whose value would be ambiguous."""

from __future__ import annotations

from typing import Any

from importer.package.printable_text import cut, printable
from importer.package.translation import gettext as _

_LONGEST_KEY = 100


class DuplicateKey(Exception):
    """The refusal of an object with a duplicate key.

    It isn't a ValueError, which JSON readers take for a syntax error.
    """

    def __init__(self, key: str) -> None:
        self.key = cut(printable(key), _LONGEST_KEY)
        super().__init__(duplicate_key_message(key))


def duplicate_key_message(key: str) -> str:
    """Return the message for an object with a duplicate key."""
    sentence = _('one object has the key "%(key)s" twice')
    return sentence % {"key": cut(printable(key), _LONGEST_KEY)}


def without_duplicate_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return the object of its pairs, as ``object_pairs_hook``; raise DuplicateKey for
    a duplicate key."""
    value = dict(pairs)
    if len(value) != len(pairs):
        seen: set[str] = set()
        for key, _value in pairs:
            if key in seen:
                raise DuplicateKey(key)
            seen.add(key)
    return value
