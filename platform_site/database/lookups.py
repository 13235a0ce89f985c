"""Lookups that ignore case: SQLite's own know only ASCII, and those of PostgreSQL are
slow where ASCII would do."""

from __future__ import annotations

from typing import Any, NamedTuple

from django.db.models import CharField, Lookup, TextField
from django.db.models.lookups import IContains, IStartsWith


class Pattern(NamedTuple):
    """SQL that compares a text with a pattern, ``%s``, and how to write the pattern."""

    sql: str
    is_upper: bool


def spellings(text: str) -> tuple[str, ...]:
    """Return the usual spellings of a text that SQLite's LIKE doesn't find by itself."""
    if text.isascii():
        return (text,)
    ways = (text, text.lower(), text.capitalize(), text.title(), text.upper())
    return tuple(dict.fromkeys(ways))


def ascii_pattern(column: str, text: str) -> Pattern | None:
    """Return how PostgreSQL compares a column with an ASCII text, None for others.

    Under the collation "C" only ASCII letters have a case, which takes a third of the
    time; a text without letters is compared as it is.
    """
    if not text.isascii():
        return None
    column = f'{column}::text COLLATE "C"'
    if text.upper() == text.lower():
        return Pattern(f"{column} LIKE %s", is_upper=False)
    return Pattern(f"UPPER({column}) LIKE %s", is_upper=True)


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

    def as_postgresql(self, compiler: Any, connection: Any) -> Any:
        """Return the comparison; with ASCII letters without the rules of a language."""
        column, values = Lookup.process_lhs(self, compiler, connection)
        text = self.rhs
        found = ascii_pattern(column, text) if isinstance(text, str) else None
        if found is None:
            return self.as_sql(compiler, connection)
        _, patterns = self.process_rhs(compiler, connection)
        if found.is_upper:
            return found.sql, [*values, *(str(each).upper() for each in patterns)]
        return found.sql, [*values, *patterns]


class AnyCaseContains(_AnyCase, IContains):
    """``icontains``."""


class AnyCaseStartsWith(_AnyCase, IStartsWith):
    """``istartswith``."""


def register_lookups() -> None:
    """Use these lookups for all texts."""
    for field in (CharField, TextField):
        field.register_lookup(AnyCaseContains)
        field.register_lookup(AnyCaseStartsWith)
