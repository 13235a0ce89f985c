"""Translation of the engine's texts into the reader's language. The engine doesn't use
Django, so the app sets Django's functions here; without them texts stay English."""

from __future__ import annotations

from collections.abc import Callable


class _Translation:
    """The translation functions of the process."""

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
    """Set the functions that translate a text, a plural and a number."""
    _Translation.one = staticmethod(one)
    _Translation.counted = staticmethod(counted)
    _Translation.number = staticmethod(number)


def gettext(text: str) -> str:
    """Return a text in the reader's language."""
    return _Translation.one(text)


def gettext_noop(text: str) -> str:
    """Mark a text that is stored and translated when it is shown."""
    return text


def ngettext(one: str, many: str, count: int, **words: object) -> str:
    """Return the text for a count, with ``%(count)s`` and the given words filled in."""
    text = _Translation.counted(one, many, count)
    named = {"count": _Translation.number(count), **words}
    return text % named if "%" in text else text
