"""What an archive must know of a database: its rows, files, migrations and accounts. It
asks a copy of a SQLite database, or a snapshot or restored copy of a PostgreSQL one."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing
from typing import Any, Final
from uuid import UUID

from psycopg import Connection

from platform_site.accounts.models import User
from platform_site.files.models import StoredFile
from platform_site.models import AddedApp

AnyConnection = sqlite3.Connection | Connection[Any]
_AT_ONCE: Final = 1000
_UNUSABLE: Final = "!"


def counts_of(connection: AnyConnection) -> dict[str, int]:
    """Return the number of rows of each table."""
    return {
        table: int(_first(connection, f'SELECT count(*) FROM "{table}"'))  # noqa: S608 - from its own list
        for table in sorted(tables_of(connection))
    }


def tables_of(connection: AnyConnection) -> list[str]:
    """Return the names of the tables."""
    if isinstance(connection, sqlite3.Connection):
        query = (
            "SELECT name FROM sqlite_master WHERE type = 'table'"
            " AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'"
        )
    else:
        query = "SELECT tablename FROM pg_tables WHERE schemaname = current_schema()"
    return [name for (name,) in connection.execute(query).fetchall()]


def files_of(connection: AnyConnection) -> Iterator[tuple[UUID, str]]:
    """Yield the key and the SHA-256 of each uploaded file."""
    table = StoredFile._meta.db_table
    if table not in tables_of(connection):
        return
    query = f"SELECT id, sha256 FROM {table} ORDER BY id"  # noqa: S608 - ours
    for key, digest in _rows(connection, query):
        yield key if isinstance(key, UUID) else UUID(hex=str(key)), str(digest)


def digest_of(connection: AnyConnection, key: UUID) -> str | None:
    """Return the SHA-256 of an uploaded file, None if the database doesn't know it."""
    table = StoredFile._meta.db_table
    if isinstance(connection, sqlite3.Connection):
        query = f"SELECT sha256 FROM {table} WHERE id = ?"  # noqa: S608 - ours
        row = connection.execute(query, [key.hex]).fetchone()
    else:
        query = f"SELECT sha256 FROM {table} WHERE id = %s"  # noqa: S608 - ours
        row = connection.execute(query.encode(), [key]).fetchone()
    return None if row is None else str(row[0])


def migrations_of(connection: AnyConnection) -> list[tuple[str, str]]:
    """Return the applied migrations."""
    if "django_migrations" not in tables_of(connection):
        return []
    rows = _rows(connection, "SELECT app, name FROM django_migrations ORDER BY id")
    return [(str(app), str(name)) for app, name in rows]


def apps_of(connection: AnyConnection) -> list[str]:
    """Return the labels of the apps that were added to the product."""
    table = AddedApp._meta.db_table
    if table not in tables_of(connection):
        return []
    return [str(label) for (label,) in _rows(connection, f"SELECT label FROM {table}")]  # noqa: S608 - ours


def can_somebody_sign_in(connection: AnyConnection) -> bool:
    """Return whether an active person has a usable password."""
    table = User._meta.db_table
    if table not in tables_of(connection):
        return False
    query = f"SELECT is_active, is_service, password FROM {table}"  # noqa: S608 - ours
    return any(
        active and not service and not str(password).startswith(_UNUSABLE)
        for active, service, password in _rows(connection, query)
    )


def sqlite_problems(connection: sqlite3.Connection) -> Iterator[str]:
    """Yield what SQLite finds wrong in a file, and references to missing rows."""
    found = connection.execute("PRAGMA integrity_check(1)").fetchone()[0]
    if found != "ok":
        yield f"The check of the database found {found}."
    if row := connection.execute("PRAGMA foreign_key_check").fetchone():
        yield f"A row of {row[0]} refers to a missing row of {row[2]}."


def _rows(connection: AnyConnection, query: str) -> Iterable[Any]:
    """Return the rows of a query, a part of them at a time."""
    if isinstance(connection, sqlite3.Connection):
        return connection.execute(query)
    return _streamed(connection, query)


def _streamed(connection: Connection[Any], query: str) -> Iterator[Any]:
    with closing(connection.cursor(name="archive")) as cursor:
        cursor.itersize = _AT_ONCE
        yield from cursor.execute(query.encode())


def _first(connection: AnyConnection, query: str) -> Any:
    if isinstance(connection, sqlite3.Connection):
        return connection.execute(query).fetchone()[0]
    row = connection.execute(query.encode()).fetchone()
    return row[0] if row else 0
