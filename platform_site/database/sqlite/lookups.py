"""Lookups that ignore case in every alphabet: SQLite's own know only ASCII."""

from __future__ import annotations

from typing import Any

from django.db.models import CharField, Lookup, TextField
from django.db.models.lookups import IContains, IStartsWith


def spellings(text: str) -> tuple[str, ...]:
    """Return the usual spellings of a text that SQLite's LIKE doesn't find by itself."""
    if text.isascii():
        return (text,)
    ways = (text, text.lower(), text.capitalize(), text.title(), text.upper())
    return tuple(dict.fromkeys(ways))


class _AnyCase(Lookup[Any]):
    """A lookup that also compares a text in the usual spellings of its letters."""

    def as_sqlite(self, compiler: Any, connection: Any) -> Any:
        """Return the comparison; with other letters than ASCII one for each spelling.

        A capital inside a word is found only if it is typed.
        """
        text = self.rhs
        if not isinstance(text, str) or len(spellings(text)) == 1:
            return self.as_sql(compiler, connection)
        parts: list[str] = []
        values: list[Any] = []
        for spelling in spellings(text):
            sql, given = type(self)(self.lhs, spelling).as_sql(compiler, connection)
            parts.append(sql)
            values += given
        return f"({' OR '.join(parts)})", values


class AnyCaseContains(_AnyCase, IContains):
    """``icontains``."""


class AnyCaseStartsWith(_AnyCase, IStartsWith):
    """``istartswith``."""


def register_lookups() -> None:
    """Use these lookups for all texts."""
    for field in (CharField, TextField):
        field.register_lookup(AnyCaseContains)
        field.register_lookup(AnyCaseStartsWith)
