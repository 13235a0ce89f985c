"""Texts from packages, files and people, safe to show in a message: visible and short."""

from __future__ import annotations

import unicodedata

# Of a refused value; no shorter than an id, which tells what a dependant waits for.
LONGEST_VALUE = 200
# Controls, marks that turn or hide what stands beside them, and line ends of all kinds.
_UNPRINTABLE = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})


def printable(text: str) -> str:
    """Write what cannot be seen, or steers what shows it, as JSON escapes.

    Control characters move the cursor of a terminal and colour it, others turn the
    direction of a text or part its lines, half a surrogate pair fits in no table. What
    is JSON stays JSON of the same meaning.
    """
    if text.isprintable():
        return text
    return "".join(_escaped(c) if is_unprintable(c) else c for c in text)


def is_unprintable(character: str) -> bool:
    """Return whether a character isn't seen, or steers what shows it."""
    return unicodedata.category(character) in _UNPRINTABLE


def _escaped(character: str) -> str:
    units = character.encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4))


def cut(text: str, longest: int) -> str:
    """Return a text, its end left out where it is longer than a message can bear."""
    return text if len(text) <= longest else f"{text[: longest - 1]}…"
