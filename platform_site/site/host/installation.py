"""The installation that the settings lead to: whether a command finds one, and whether a
start would make one where the next upgrade deletes it."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from django.db import DatabaseError, connection
from django.db.migrations.recorder import MigrationRecorder

from platform_site.settings.configuration import APPLICATION_FOLDER, Configuration
from platform_site.settings.env import BUILT_IN
from platform_site.settings.errors import StartRefusedError
from platform_site.settings.signing_key import key_file
from platform_site.site.host.before_migrations import pending_migrations
from platform_site.site.host.command_rules import asks_help, command_of, is_published
from platform_site.site.host.empty_start import damaged, sqlite_file
from platform_site.site.host.last_start import last_start
from platform_site.site.host.migration_history import Name, written
from platform_site.site.host.sqlite_file import rows_of

# Those that work on the tables of this version; the others make a database, need none,
# or are a developer's.
NEEDS_TABLES: Final = frozenset(
    {
        "archive_changes",
        "changepassword",
        "clean_files",
        "clearsessions",
        "create_api_key",
        "createsuperuser",
        "dumpdata",
        "export_package",
        "import_package",
        "import_table",
        "mcp",
        "move_files",
        "remove_demo",
        "reset_admin",
        "undo_run",
    }
)
# This also copies the database of an earlier version.
NEEDS_DATABASE: Final = NEEDS_TABLES | {"backup"}


def require_installation(
    arguments: Sequence[str], configuration: Configuration
) -> None:
    """Raise StartRefusedError for a command that finds no database to work on.

    SQLite would create an empty one, and the command would report a missing table.
    """
    command = command_of(arguments)
    if command not in NEEDS_DATABASE or asks_help(arguments):
        return
    recorded = _recorded(configuration)
    if not recorded:
        raise StartRefusedError(
            f"{command} needs the database of an installation, but "
            f"{_place(configuration)} {_state(configuration)}. {_hint(configuration)}"
        )
    if command in NEEDS_TABLES and (pending := pending_migrations(recorded)):
        raise StartRefusedError(
            f"{command} needs a database of this version, but migrations are pending "
            f"for {_place(configuration)} ({len(pending)}): {written(pending)}. Start "
            f"this version of the server first. {_hint(configuration)}"
        )


def unusable(configuration: Configuration, error: Exception) -> StartRefusedError:
    """Return the refusal of a database that can't be used, for example reached."""
    reason = " ".join(str(error).split()).rstrip(".")
    # Its subclasses concern statements and disks, this one the file.
    if sqlite_file(configuration) and type(error) in (
        DatabaseError,
        sqlite3.DatabaseError,
    ):
        return damaged(configuration, reason)
    key = f"ConnectionStrings:{configuration.connection.provider.value}"
    return StartRefusedError(
        f"The database cannot be used: {reason}. Check Provider and {key}, and that "
        "the database can be reached."
    )


def warning_of_program_folder(
    configuration: Configuration, application: Path = APPLICATION_FOLDER
) -> str:
    """Return the warning of a new installation in a published folder, empty otherwise.

    In a checkout it is what developers expect.
    """
    data = configuration.data_folder
    is_old = last_start(data) is not None or key_file(data).exists()
    is_set = configuration.data_folder_source != BUILT_IN
    if is_old or is_set or not is_published(application):
        return ""
    return (
        f"A new installation is created in the program folder {data}, which an upgrade "
        "replaces, because Platform:DataPath isn't set. Set the variable "
        "Platform__DataPath to another folder, and run this again."
    )


def _recorded(configuration: Configuration) -> set[Name]:
    """Return the applied migrations, none if there is no database."""
    database = sqlite_file(configuration)
    try:
        if database is None:
            return _recorded_on_the_server()
        if not database.exists():
            return set()
        rows = rows_of(database, "django_migrations", "app, name")
    except (DatabaseError, sqlite3.Error, OSError) as error:
        raise unusable(configuration, error) from error
    return {(app, name) for app, name in rows}


def _recorded_on_the_server() -> set[Name]:
    try:
        return set(MigrationRecorder(connection).applied_migrations())
    finally:
        connection.close()


def _place(configuration: Configuration) -> str:
    database = sqlite_file(configuration)
    return f"the database {database or configuration.connection.entry['NAME']}"


def _state(configuration: Configuration) -> str:
    database = sqlite_file(configuration)
    exists = database is None or database.exists()
    return "has no tables of this platform" if exists else "doesn't exist"


def _hint(configuration: Configuration) -> str:
    return (
        f"The data folder is {configuration.data_folder} "
        f"({configuration.data_folder_source}): run commands with the same settings as "
        "the server, above all the variable Platform__DataPath."
    )
