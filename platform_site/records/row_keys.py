"""One statement that finds keys of rows in many tables at once.

Django compiles a query in about half a millisecond, and a search asks for dozens of parts
at nearly every key that somebody presses. So the text is put together here, from what
Django's backends say about comparisons and limits.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db import connection, models

from platform_site.database.lookups import ascii_pattern, spellings


@dataclass(frozen=True, slots=True)
class KeyCondition:
    """SQL that compares columns, and its values."""

    sql: str
    values: tuple[Any, ...] = ()

    def __and__(self, other: KeyCondition) -> KeyCondition:
        """Return the condition that both hold."""
        return self._joined("AND", other)

    def __or__(self, other: KeyCondition) -> KeyCondition:
        """Return the condition that one of them holds."""
        return self._joined("OR", other)

    def _joined(self, by: str, other: KeyCondition) -> KeyCondition:
        values = (*self.values, *other.values)
        return KeyCondition(f"({self.sql} {by} {other.sql})", values)


@dataclass(frozen=True, slots=True)
class KeyPart:
    """The first rows of one table for which a condition holds."""

    model: type[models.Model]
    where: KeyCondition
    # SQL whose values come after those of the condition.
    order: KeyCondition
    few: int
    skipped: int = 0


def column(model: type[models.Model], name: str) -> str:
    """Return the column of a field as SQL."""
    field: Any = model._meta.get_field(name)
    return connection.ops.quote_name(field.column)


def is_deleted(model: type[models.Model], *, deleted: bool) -> KeyCondition:
    """Return the condition of the partial indexes of live or of deleted rows."""
    sql = column(model, "is_deleted")
    return KeyCondition(sql if deleted else f"NOT {sql}")


def compared(sql: str, sign: str, value: Any) -> KeyCondition:
    """Return the comparison of a column with a value."""
    return KeyCondition(f"{sql} {sign} %s", (value,))


def contains(sql: str, word: str) -> KeyCondition:
    """Return the condition that a text has a word in it, whatever the case."""
    return _like(sql, "icontains", word, "%", "%")


def begins(sql: str, text: str) -> KeyCondition:
    """Return the condition that a text begins with another, whatever the case."""
    return _like(sql, "istartswith", text, "", "%")


def keys_of(parts: Sequence[KeyPart]) -> list[tuple[int, int, bool]]:
    """Return the keys of the rows, each with the number of its part and whether the row
    is deleted."""
    if not parts:
        return []
    texts, values = [], []
    for number, part in enumerate(parts):
        options = part.model._meta
        key = column(part.model, options.pk.name)
        deleted = column(part.model, "is_deleted")
        table = connection.ops.quote_name(options.db_table)
        limit = connection.ops.limit_offset_sql(part.skipped, part.skipped + part.few)
        texts.append(
            f"SELECT * FROM (SELECT {number} AS part, {key}, {deleted} FROM {table} "  # noqa: S608 - values are parameters
            f"WHERE {part.where.sql} ORDER BY {part.order.sql} {limit}) part_{number}"
        )
        values += [*part.where.values, *part.order.values]
    with connection.cursor() as cursor:
        cursor.execute(" UNION ALL ".join(texts), values)
        return [(number, key, bool(gone)) for number, key, gone in cursor.fetchall()]


def _like(sql: str, lookup: str, text: str, before: str, after: str) -> KeyCondition:
    """Return a comparison as the lookups of this database write it."""
    escaped = connection.ops.prep_for_like_query(text)
    found = ascii_pattern(sql, text) if connection.vendor == "postgresql" else None
    if found is not None:
        escaped = escaped.upper() if found.is_upper else escaped
        return KeyCondition(f"({found.sql})", (f"{before}{escaped}{after}",))
    left = connection.ops.lookup_cast(lookup, "CharField") % sql
    operators: dict[str, str] = connection.operators  # type: ignore[attr-defined]
    right = operators[lookup] % "%s"
    texts = spellings(text) if connection.vendor == "sqlite" else (text,)
    patterns = [
        f"{before}{connection.ops.prep_for_like_query(each)}{after}" for each in texts
    ]
    compared_each = " OR ".join([f"{left} {right}"] * len(patterns))
    return KeyCondition(f"({compared_each})", tuple(patterns))
