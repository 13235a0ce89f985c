"""The words of the limits in the language of the reader: the app puts Django's
translation in here, since the limits know no Django; without it they stay English."""

from __future__ import annotations

from collections.abc import Callable


class _Translation:
    """The function that translates; one for the process."""

    counted: Callable[[str, str, int], str] = staticmethod(
        lambda one, many, count: one if count == 1 else many
    )
    number: Callable[[int], str] = staticmethod(lambda number: f"{number:,}")


def translate_by(
    counted: Callable[[str, str, int], str], number: Callable[[int], str]
) -> None:
    """Take the functions that translate a text with a count, and a number."""
    _Translation.counted = staticmethod(counted)
    _Translation.number = staticmethod(number)


def ngettext(one: str, many: str, count: int) -> str:
    """Return the text that goes with a count."""
    return _Translation.counted(one, many, count)


def number(count: int) -> str:
    """Return a number as the reader writes it."""
    return _Translation.number(count)
