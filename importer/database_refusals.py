"""Messages for rows that only the database refused, made from what its driver reports:
SQLite an error code and a message, PostgreSQL an SQLSTATE and names."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Mapping
from enum import Enum, auto
from typing import Any, Final

import msgspec
from django.db import DatabaseError
from django.utils.translation import gettext as _

from importer.package.shapes import BY_DATABASE, Problem


class Constraint(Enum):
    """The kind of a violated constraint."""

    UNIQUE = auto()
    REFERENCE = auto()
    VALUE = auto()
    RULE = auto()


_OF_SQLITE: Final = {
    sqlite3.SQLITE_CONSTRAINT_UNIQUE: Constraint.UNIQUE,
    sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY: Constraint.UNIQUE,
    sqlite3.SQLITE_CONSTRAINT_FOREIGNKEY: Constraint.REFERENCE,
    sqlite3.SQLITE_CONSTRAINT_NOTNULL: Constraint.VALUE,
    sqlite3.SQLITE_CONSTRAINT_CHECK: Constraint.RULE,
}
_OF_POSTGRESQL: Final = {
    "23505": Constraint.UNIQUE,
    "23503": Constraint.REFERENCE,
    "23502": Constraint.VALUE,
    "23514": Constraint.RULE,
}
# PostgreSQL's detail, in any language: Key (code, name)=(…) already exists.
_KEY: Final = re.compile(r"\(([^()]+)\)=\(")


class Violation(msgspec.Struct, frozen=True):
    """The violation reported by a driver; ``constraint`` is None if the kind is
    unknown.

    ``columns`` and ``name`` are empty if they aren't reported. A column of another
    table, such as that of lines, starts with its name.
    """

    constraint: Constraint | None
    columns: tuple[str, ...] = ()
    name: str = ""


def violation_of(error: DatabaseError, table: str) -> Violation:
    """Return the violation that the driver reports for a row of a table."""
    cause: Any = error.__cause__
    if (code := getattr(cause, "sqlite_errorcode", None)) is not None:
        return _reported_by_sqlite(_OF_SQLITE.get(code), str(cause), table)
    if (state := getattr(cause, "sqlstate", None)) is not None:
        return _reported_by_postgresql(_OF_POSTGRESQL.get(state), cause.diag, table)
    return Violation(None)


def _reported_by_sqlite(
    constraint: Constraint | None, message: str, table: str
) -> Violation:
    # NOT NULL constraint failed: table.name
    reported = message.partition(": ")[2]
    if constraint is Constraint.RULE or reported.startswith("index "):
        return Violation(constraint, name=reported)
    columns = (
        column.removeprefix(f"{table}.") for column in reported.split(", ") if reported
    )
    return Violation(constraint, tuple(columns))


def _reported_by_postgresql(
    constraint: Constraint | None, reported: Any, table: str
) -> Violation:
    key = _KEY.search(reported.message_detail or "")
    columns = reported.column_name or (key[1] if key else "")
    prefix = "" if reported.table_name == table else f"{reported.table_name}."
    return Violation(
        constraint,
        tuple(prefix + name.strip('"') for name in columns.split(", ") if name),
        reported.constraint_name or "",
    )


def problem_of(
    error: DatabaseError, table: str, properties: Mapping[str, str]
) -> Problem:
    """Return the problem as a sentence of ours, or quote the database if its driver
    reports nothing more. ``properties`` are those of the table's columns."""
    found = violation_of(error, table)
    names = [properties.get(column, column) for column in found.columns]
    sentence, remedy = _words(found)
    words = {"names": ", ".join(names), "rule": found.name, "reason": _reason(error)}
    alone = len(names) == 1 and found.columns[0] in properties
    path = names[0] if alone else ""
    return Problem(path, sentence % words, BY_DATABASE, remedy=remedy)


def _words(found: Violation) -> tuple[str, str]:
    """Return the sentence and the remedy."""
    if found.constraint is Constraint.REFERENCE:
        return (
            _("The database refused the row: it refers to a row that doesn't exist."),
            _("Refer to a row that exists."),
        )
    if found.constraint is Constraint.UNIQUE and found.columns:
        return (
            _("The database refused the row: no two rows may have the same %(names)s."),
            _("Give the object another value."),
        )
    if found.constraint is Constraint.VALUE and found.columns:
        return (
            _("The database refused the row: %(names)s needs a value."),
            _("Give it a value; a column that packages can't fill needs a default."),
        )
    if found.constraint in (Constraint.RULE, Constraint.UNIQUE) and found.name:
        return (
            _("The database refused the row: it breaks the rule %(rule)s."),
            _("Change the values that the rule applies to."),
        )
    return _("The database refused the row: %(reason)s."), ""


def _reason(error: DatabaseError) -> str:
    """Return the first line of the database's message; others may show other rows."""
    return str(error).partition("\n")[0].rstrip(".")
