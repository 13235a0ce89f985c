"""Operations on SQLite database files: creation, a consistent copy of a live one,
deletion and replacement, used for backups, reset and restore."""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from platform_site.settings.durable import sync_file, sync_folder

_SIDECARS: Final = ("-wal", "-shm", "-journal")
_BUSY_SECONDS: Final = 20.0
_ROOM_BYTES: Final = 1 << 20
_HEADER: Final = b"SQLite format 3\0"


class DatabaseFileError(Exception):
    """The reason why an operation on a database file failed."""

    @property
    def is_damage(self) -> bool:
        """Return whether the file itself is damaged, rather than a full disk or a
        lock."""
        return isinstance(self.__cause__, sqlite3.DatabaseError) and not isinstance(
            self.__cause__, sqlite3.OperationalError
        )


def create_database(path: Path) -> None:
    """Create an empty database with a header, under its name at once.

    SQLite alone would leave an empty file until its first table, and so would a killed
    process; such a file looks like a lost database.
    """
    fresh = path.with_name(f".{path.name}.new")
    fresh.unlink(missing_ok=True)
    with contextlib.closing(sqlite3.connect(fresh)) as database:
        database.execute("PRAGMA journal_mode = WAL")
    sync_file(fresh)
    fresh.replace(path)
    sync_folder(path.parent)


def why_not_a_database(path: Path) -> str:
    """Return why a file can't be a SQLite database, empty if it looks like one."""
    with path.open("rb") as file:
        begin = file.read(len(_HEADER))
    if not begin:
        return "it has no bytes"
    return "" if begin == _HEADER else "it does not begin as a SQLite database does"


def move_aside(database: Path, aside: Path) -> None:
    """Rename a database and its sidecar files on the same disk.

    The log comes first: alone it is harmless, and the database stays until the end.
    """
    for path, target in zip(sidecars(database), sidecars(aside), strict=True):
        if path.exists():
            path.replace(target)
    if database.exists():
        database.replace(aside)


def sidecars(database: Path) -> list[Path]:
    """Return the paths of SQLite's sidecar files, whether or not they exist."""
    return [database.with_name(database.name + end) for end in _SIDECARS]


def copy_database(source: Path, target: Path) -> None:
    """Write a consistent copy of a live database, under its name only when complete.

    It includes the write-ahead log; the copy is a single checked file, flushed to disk,
    and readable only by the application's user (HOST-099). Raise DatabaseFileError;
    then there is no file with that name.
    """
    temporary = target.with_name(f".{target.name}.tmp")
    try:
        _require_room(source, target.parent)
        temporary.unlink(missing_ok=True)
        os.close(os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        with _opened(source) as live, _opened(temporary) as copy:
            # All pages at once: page by page, every commit of others would restart it.
            live.backup(copy, pages=-1)
            copy.execute("PRAGMA journal_mode = DELETE")
            _check(copy, source)
        sync_file(temporary)
        temporary.replace(target)
        sync_folder(target.parent)
    except (OSError, sqlite3.Error) as error:
        raise DatabaseFileError(
            f"The database {source} cannot be copied to {target}: {_reason(error)}."
        ) from error
    finally:
        # Closing has deleted the sidecars, if there were any.
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)


def remove_database(database: Path) -> None:
    """Delete a database with its sidecar files, ignoring missing ones.

    The database comes first: a log without its database is nothing, but a database
    without its log has lost the last commits.
    """
    for path in (database, *sidecars(database)):
        path.unlink(missing_ok=True)
    if database.parent.is_dir():
        sync_folder(database.parent)


def replace_database(database: Path, other: Path) -> None:
    """Replace a database atomically by a copy of another.

    Its log is merged and deleted before, because SQLite would apply it to the other
    database. Raise DatabaseFileError, sqlite3.Error or OSError.
    """
    fresh = database.with_name(f".{database.name}.new")
    fresh.unlink(missing_ok=True)
    copy_database(other, fresh)
    if database.exists():
        with _opened(database) as live:
            _execute_locked(live, "PRAGMA journal_mode = DELETE")
    for path in sidecars(database):
        path.unlink(missing_ok=True)
    sync_folder(database.parent)
    fresh.replace(database)
    sync_folder(database.parent)


def check_database(path: Path) -> None:
    """Raise DatabaseFileError for a file that isn't an intact SQLite database."""
    if not path.is_file():
        raise DatabaseFileError(f"There is no file {path}.")
    try:
        with _opened(path) as database:
            _check(database, path)
            tables = database.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except (OSError, sqlite3.Error) as error:
        raise DatabaseFileError(
            f"The file {path} isn't a readable SQLite database: {_reason(error)}."
        ) from error
    if tables == (0,):
        raise DatabaseFileError(f"The database {path} is empty.")


def rows_of(path: Path, table: str, columns: str) -> list[tuple[str, ...]]:
    """Return the rows of a table in a database file, none if it has no such table."""
    with _opened(path) as database:
        tables = "SELECT 1 FROM sqlite_master WHERE name = ?"
        if database.execute(tables, [table]).fetchone() is None:
            return []
        return database.execute(f"SELECT {columns} FROM {table}").fetchall()  # noqa: S608 - both are ours


def same_content(one: Path, other: Path) -> bool:
    """Return whether two files have the same content."""
    if one.stat().st_size != other.stat().st_size:
        return False
    return _digest(one) == _digest(other)


def _digest(path: Path) -> bytes:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").digest()


@contextlib.contextmanager
def _opened(path: Path) -> Iterator[sqlite3.Connection]:
    """Open an existing database; SQLite would create a missing one."""
    database = sqlite3.connect(
        f"{path.absolute().as_uri()}?mode=rw",
        uri=True,
        timeout=_BUSY_SECONDS,
        isolation_level=None,
    )
    try:
        yield database
    finally:
        database.close()


def _execute_locked(database: sqlite3.Connection, statement: str) -> None:
    row = database.execute(statement).fetchone()
    if row != ("delete",):
        raise sqlite3.OperationalError("another process has it open")


def _check(database: sqlite3.Connection, source: Path) -> None:
    found = database.execute("PRAGMA quick_check(1)").fetchone()[0]
    if found != "ok":
        raise sqlite3.DatabaseError(f"the check of {source.name} found {found}")


def _require_room(source: Path, folder: Path) -> None:
    files = (source, *sidecars(source))
    needed = sum(path.stat().st_size for path in files if path.exists()) + _ROOM_BYTES
    free = shutil.disk_usage(folder).free
    if free < needed:
        raise OSError(
            f"{needed >> 20} MiB are needed, but only {free >> 20} MiB are free"
        )


def _reason(error: Exception) -> str:
    return getattr(error, "strerror", None) or " ".join(str(error).split())
