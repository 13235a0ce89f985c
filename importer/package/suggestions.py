"""Suggestions for unknown words: the most similar known word."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from functools import lru_cache
from itertools import islice

from importer.package.translation import gettext as _

_LIKE_ENOUGH = 0.7
_LONGEST_WORD = 100
_MOST_KNOWN = 2000
_MANY = 200


def closest(word: object, known: Iterable[str]) -> str | None:
    """Return the most similar known word, None if none is similar.

    A word that differs only in case, surrounding spaces or separators (``as_of`` for
    ``asOf``) takes precedence over a misspelt one.
    """
    if not isinstance(word, str) or len(word) > _LONGEST_WORD:
        return None
    names = tuple(known)
    return (_closest if len(names) < _MANY else _look_up)(word, names)


def near(word: str, many: Iterable[str]) -> list[str]:
    """Return the words worth comparing with a misspelt one, out of many."""
    ends, least, most = _ends(word), len(word) - 2, len(word) + 2
    alike = (n for n in many if least <= len(n) <= most and ends & _ends(n))
    return list(islice(alike, _MOST_KNOWN))


def _ends(word: str) -> set[tuple[int, str]]:
    return {(0, word[:2].lower()), (1, word[-2:].lower())}


def did_you_mean(word: object, known: Iterable[str], *, sentence: bool = False) -> str:
    """Return the suggestion to append to an error, empty if no word is similar.

    It continues an error without a full stop; with ``sentence`` it follows one with a
    full stop.
    """
    name = closest(word, known)
    if name is None:
        return ""
    text = (
        _(' Did you mean "%(name)s"?') if sentence else _('; did you mean "%(name)s"?')
    )
    return text % {"name": name}


def _look_up(word: str, known: tuple[str, ...]) -> str | None:
    by_letters: dict[str, str] = {}
    # Sorted, so that the result doesn't depend on the order of the known words.
    for name in sorted({*known} - {word})[:_MOST_KNOWN]:
        by_letters.setdefault(_letters(name), name)
    asked = _letters(word)
    if not asked:
        return None
    if asked in by_letters:
        return by_letters[asked]
    # Another number isn't a misspelling: A-103 doesn't mean A-102.
    digits = _digits(word)
    alike = [letters for letters in by_letters if _digits(letters) == digits]
    near = get_close_matches(asked, alike, n=1, cutoff=_LIKE_ENOUGH)
    return by_letters[near[0]] if near else None


# A misspelling usually occurs in every object; words beyond the limit aren't cached.
_closest = lru_cache(maxsize=2048)(_look_up)


def _digits(word: str) -> str:
    return "".join(filter(str.isdigit, word))


def _letters(word: str) -> str:
    """Return the letters and digits of a word in lower case."""
    return "".join(filter(str.isalnum, word.casefold()))
