"""Small SQLite databases for the tests of backups, resets and restores."""

from __future__ import annotations

import sqlite3
from contextlib import closing

from platform_site.site.host.sqlite_file import sidecars


def make_database(path, *rows):
    """Create a database in WAL mode whose one table holds the rows."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with closing(opened(path)) as database:
        database.execute("CREATE TABLE note (text TEXT)")
        add_rows(database, rows)
    return path


def opened(path):
    """Open a database that commits each statement, and keeps its log."""
    database = sqlite3.connect(path, isolation_level=None)
    database.execute("PRAGMA journal_mode = WAL")
    database.execute("PRAGMA wal_autocheckpoint = 0")
    return database


def add_rows(database, rows):
    """Insert the rows."""
    database.executemany("INSERT INTO note VALUES (?)", [(row,) for row in rows])


def leave_a_log(path, statement, *values):
    """Change a database as a process does that is killed: its log stays behind."""
    live = opened(path)
    live.execute(statement, values)
    # A closed one would fold it in.
    saved = [one.read_bytes() for one in sidecars(path)[:2]]
    live.close()
    for one, content in zip(sidecars(path), saved, strict=False):
        one.write_bytes(content)


def rows_of(path):
    """Return the rows, in order."""
    with closing(sqlite3.connect(path)) as database:
        return [text for (text,) in database.execute("SELECT text FROM note")]
