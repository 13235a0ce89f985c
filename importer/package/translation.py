"""The engine's texts in the language of the reader. The engine knows no Django, so the app
sets Django's translation functions here; without them texts stay English."""

from __future__ import annotations

from collections.abc import Callable


class _Translation:
    """The functions that translate, for the whole process."""

    one: Callable[[str], str] = staticmethod(lambda text: text)
    counted: Callable[[str, str, int], str] = staticmethod(
        lambda one, many, count: one if count == 1 else many
    )
    number: Callable[[int], str] = staticmethod(lambda number: f"{number:,}")


def translate_by(
    one: Callable[[str], str],
    counted: Callable[[str, str, int], str],
    number: Callable[[int], str],
) -> None:
    """Set the functions that translate a text, a text with a count, and a number."""
    _Translation.one = staticmethod(one)
    _Translation.counted = staticmethod(counted)
    _Translation.number = staticmethod(number)


def gettext(text: str) -> str:
    """Return a text in the current reader's language."""
    return _Translation.one(text)


def gettext_noop(text: str) -> str:
    """Mark a text that is stored, and translated whenever it is shown."""
    return text


def ngettext(one: str, many: str, count: int, **words: object) -> str:
    """Return the text that goes with a count; it may name it as ``%(count)s``, and
    the words that are given."""
    text = _Translation.counted(one, many, count)
    named = {"count": _Translation.number(count), **words}
    return text % named if "%" in text else text
