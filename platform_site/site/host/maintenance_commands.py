"""Manual backup and restore, used by the commands: SQLite only, and a restore only
while nothing else uses the data folder (HOST-123)."""

from __future__ import annotations

import sqlite3
from contextlib import ExitStack
from pathlib import Path

from importer.services import ImportInProgress, LockUnusable, import_lock
from platform_site.settings import data_folder as folders
from platform_site.settings.configuration import Configuration
from platform_site.settings.connections import Provider
from platform_site.settings.errors import StartRefusedError
from platform_site.site.host.backups import (
    backups_folder,
    save_copy,
    save_or_move_aside,
)
from platform_site.site.host.before_migrations import migration_lock
from platform_site.site.host.database_check import forget_checks
from platform_site.site.host.empty_start import forget_empty_start
from platform_site.site.host.instance_lock import only_instance
from platform_site.site.host.reset import finish_reset
from platform_site.site.host.sqlite_file import (
    DatabaseFileError,
    check_database,
    copy_database,
    replace_database,
)


def sqlite_database(configuration: Configuration) -> Path:
    """Return the database's file; raise StartRefusedError for a database server."""
    connection = configuration.connection
    if connection.provider is not Provider.SQLITE:
        raise StartRefusedError(
            f"The provider is {connection.provider.value}: its database is backed up "
            "with backup --all and restored from such an archive, or on the server with "
            "the server's own tools."
        )
    return Path(str(connection.entry["NAME"]))


def back_up(database: Path, data_folder: Path, file: Path | None) -> Path:
    """Copy a database in use, to a new file or to `backups/`.

    Raise StartRefusedError with a sentence.
    """
    try:
        if not database.is_file():
            raise DatabaseFileError(f"There is no database {database} to copy.")
        with migration_lock():
            if file is None:
                return save_copy(database, backups_folder(data_folder), "by-hand")
            if file.exists():
                raise DatabaseFileError(f"{file} exists already; name a new file.")
            copy_database(database, file)
            return file
    except (DatabaseFileError, OSError) as error:
        raise StartRefusedError(str(error)) from error


def restore(database: Path, data_folder: Path, file: Path) -> Path | None:
    """Replace the database by a copy of the file; return the path of the old one.

    An unfinished reset counts as done, since it would delete the restored database.
    Raise StartRefusedError with a sentence; the old database is then unchanged.
    """
    folder = backups_folder(data_folder)
    try:
        check_database(file)
        with ExitStack() as held:
            held.enter_context(only_instance(data_folder))
            held.enter_context(migration_lock())
            held.enter_context(import_lock("an operator", "a restore"))
            folders.prepare(folder)
            saved = _save_present(database, folder)
            replace_database(database, file)
            finish_reset(folder)
            forget_empty_start(data_folder)
            forget_checks(data_folder)
    except (ImportInProgress, LockUnusable, DatabaseFileError) as error:
        raise StartRefusedError(str(error)) from error
    except (OSError, sqlite3.Error) as error:
        raise StartRefusedError(
            f"The database {database} cannot be replaced: {error}. Stop everything "
            "that uses it, and run the command again."
        ) from error
    return saved


def _save_present(database: Path, folder: Path) -> Path | None:
    """Copy the current database, or move its files aside if it is damaged."""
    if not database.exists():
        return None
    return save_or_move_aside(
        database, folder, lambda: save_copy(database, folder, "before-restore")
    )
