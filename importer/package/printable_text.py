"""Texts from packages, files and people, made safe for messages: visible and short."""

from __future__ import annotations

import unicodedata

# The maximum length of a refused value; not shorter than an id, which identifies a cause.
LONGEST_VALUE = 200
# Control characters, marks that reverse or hide text, and all kinds of line breaks.
_UNPRINTABLE = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})


def printable(text: str) -> str:
    """Return a text with invisible and control characters as JSON escapes.

    Control characters can move the cursor and change the colours of a terminal, others
    change the direction of text or break lines, and lone surrogates fit in no table.
    JSON keeps its meaning.
    """
    if text.isprintable():
        return text
    return "".join(_escaped(c) if is_unprintable(c) else c for c in text)


def is_unprintable(character: str) -> bool:
    """Return whether a character is invisible or controls the display."""
    return unicodedata.category(character) in _UNPRINTABLE


def _escaped(character: str) -> str:
    units = character.encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4))


def cut(text: str, longest: int) -> str:
    """Return a text, cut if it is too long for a message."""
    return text if len(text) <= longest else f"{text[: longest - 1]}…"
