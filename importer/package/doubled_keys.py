"""JSON objects that have a key twice: which value was meant, nobody can tell."""

from __future__ import annotations

from typing import Any

from importer.package.texts import cut, printable
from importer.package.words import gettext as _

_LONGEST_KEY = 100


class DoubledKey(Exception):
    """The refusal of an object that has a key twice.

    It is no ValueError, which to a reader of JSON means that the text is broken.
    """

    def __init__(self, key: str) -> None:
        self.key = cut(printable(key), _LONGEST_KEY)
        super().__init__(stands_twice(key))


def stands_twice(key: str) -> str:
    """Say that an object has a key twice."""
    sentence = _('the key "%(key)s" stands twice in one object')
    return sentence % {"key": cut(printable(key), _LONGEST_KEY)}


def mapping(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return the object of its pairs, as ``object_pairs_hook``; DoubledKey else."""
    value = dict(pairs)
    if len(value) != len(pairs):
        seen: set[str] = set()
        for key, _value in pairs:
            if key in seen:
                raise DoubledKey(key)
            seen.add(key)
    return value
