"""The copy of the database that goes into an archive, and a connection that sees exactly
what is in it."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from psycopg import IsolationLevel

from platform_site.settings.configuration import Configuration
from platform_site.settings.connections import Provider
from platform_site.site.archives.database_content import AnyConnection
from platform_site.site.archives.errors import ArchiveError
from platform_site.site.archives.manifest import POSTGRES, SQLITE
from platform_site.site.host.before_migrations import migration_lock
from platform_site.site.host.empty_start import sqlite_file
from platform_site.site.host.postgres_tools import postgres_tools
from platform_site.site.host.sqlite_file import copy_database

_DUMP: Final = "platform.dump"
_COPY: Final = "platform.db"


@dataclass(frozen=True, slots=True)
class DatabaseCopy:
    """A copy of the database as a file, and a connection with the same content."""

    path: Path
    member: str
    server: str
    connection: AnyConnection


def provider_of(configuration: Configuration) -> Provider:
    """Return the provider; raise ArchiveError for one that can't be archived."""
    provider = configuration.connection.provider
    if provider is Provider.SQL_SERVER:
        raise ArchiveError(
            "The provider is SqlServer: back the database up with the server's own "
            "tools, and copy the attachments and the key as files."
        )
    return provider


@contextmanager
def copied_database(
    configuration: Configuration, folder: Path, has_stopped: Callable[[], bool]
) -> Iterator[DatabaseCopy]:
    """Copy the database into a folder; nothing migrates it meanwhile."""
    if provider_of(configuration) is Provider.SQLITE:
        with _copied_file(configuration, folder) as copy:
            yield copy
        return
    with _dumped(configuration, folder, has_stopped) as copy:
        yield copy


@contextmanager
def _copied_file(configuration: Configuration, folder: Path) -> Iterator[DatabaseCopy]:
    database, path = sqlite_file(configuration), folder / _COPY
    if database is None or not database.is_file():
        raise ArchiveError(f"There is no database {database} to copy.")
    with migration_lock():
        copy_database(database, path)
    uri = f"{path.absolute().as_uri()}?mode=ro"
    with closing(sqlite3.connect(uri, uri=True, check_same_thread=False)) as connection:
        yield DatabaseCopy(path, SQLITE, "", connection)


@contextmanager
def _dumped(
    configuration: Configuration, folder: Path, has_stopped: Callable[[], bool]
) -> Iterator[DatabaseCopy]:
    tools, path = postgres_tools(configuration), folder / _DUMP
    server = tools.require_dump()
    with tools.connect() as connection:
        connection.isolation_level = IsolationLevel.REPEATABLE_READ
        connection.read_only = True
        with migration_lock():
            # The dump and the counts see the database at the same moment.
            row = connection.execute("SELECT pg_export_snapshot()").fetchone()
            snapshot = str(row[0]) if row else ""
            tools.dump(path, snapshot=snapshot, has_stopped=has_stopped)
        yield DatabaseCopy(path, POSTGRES, server, connection)
