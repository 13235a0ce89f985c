"""Translation of the limits' texts. The limits don't use Django, so the app sets
Django's functions here; without them texts stay English."""

from __future__ import annotations

from collections.abc import Callable


class _Translation:
    """The translation functions of the process."""

    counted: Callable[[str, str, int], str] = staticmethod(
        lambda one, many, count: one if count == 1 else many
    )
    number: Callable[[int], str] = staticmethod(lambda number: f"{number:,}")


def translate_by(
    counted: Callable[[str, str, int], str], number: Callable[[int], str]
) -> None:
    """Set the functions that translate a plural and a number."""
    _Translation.counted = staticmethod(counted)
    _Translation.number = staticmethod(number)


def ngettext(one: str, many: str, count: int) -> str:
    """Return the text for a count."""
    return _Translation.counted(one, many, count)


def number(count: int) -> str:
    """Return a number in the reader's format."""
    return _Translation.number(count)
