"""The guard before every migration, however it is started: it refuses a database from
another version, and copies a SQLite database (HOST-098..107, OPEN-105)."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any, Final

from django.apps import apps
from django.conf import settings
from django.db import DEFAULT_DB_ALIAS, connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.migrations import Migration
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder
from filelock import FileLock

from importer.services import database_lock
from platform_site.models import AddedApp
from platform_site.settings import data_folder as folders
from platform_site.settings.apps import added_labels
from platform_site.settings.configuration import Configuration, active
from platform_site.settings.errors import StartRefusedError
from platform_site.site.host.backups import back_up_before, backups_folder
from platform_site.site.host.empty_start import (
    MUST_EXIST,
    damaged,
    note_empty_start,
)
from platform_site.site.host.migration_history import (
    Name,
    refusal,
    unknown_migrations,
)
from platform_site.site.host.sqlite_file import DatabaseFileError, rows_of
from platform_site.site.host.way_back import told_backup_before, told_newest_backup

logger = logging.getLogger("platform.host")
_LOCK_FILE: Final = ("db", ".migrate.lock")
_LOCK_KEY: Final = 0x4D494752
_PAUSE_SECONDS: Final = 0.2
# Its tables stay when the installation has a single server again.
_OPTIONAL: Final = "procrastinate"


@contextmanager
def migration_lock() -> Iterator[None]:
    """Let one process at a time change the database as a whole; the others wait, on
    other machines too.

    The one that waited finds no pending migrations.
    """
    path = settings.PLATFORM_DATA_FOLDER.joinpath(*_LOCK_FILE)
    folders.prepare(path.parent)
    with FileLock(path, mode=0o600), _lock_on_a_server():
        yield


@contextmanager
def _lock_on_a_server() -> Iterator[None]:
    if connections[DEFAULT_DB_ALIAS].vendor != "postgresql":
        yield
        return
    with database_lock(_LOCK_KEY) as lock:
        while not lock.take():
            time.sleep(_PAUSE_SECONDS)
        yield


def guard(
    *, using: str, plan: Sequence[tuple[Migration, bool]], **_signal: object
) -> None:
    """Refuse unknown migrations, then copy; receives Django's `pre_migrate`.

    An exception here ends `migrate` before it has changed anything.
    """
    connection = connections[using]
    refuse_unknown(active(), connection)
    _check_fresh_on_a_server(connection)
    if plan:
        logger.info("Applying %d migrations.", len(plan))
    # Before them too: an app may be taken from the list because its migrations fail.
    record_added_apps(using=using)
    # SQLite has created a fresh database empty when it was opened.
    if not plan or not connection.introspection.table_names():
        return
    database = database_file(connection)
    if database is None or settings.PLATFORM_BACKUPS_TO_KEEP == 0:
        logger.warning(
            "The database %s isn't copied before the migrations. %s",
            connection.settings_dict["NAME"],
            told_newest_backup(active()),
        )
        return
    _copy_before(database, plan[0][0])


def _copy_before(database: Path, first: Migration) -> None:
    """Copy a SQLite database; raise StartRefusedError if that is impossible."""
    migration = f"{first.app_label}.{first.name}"
    try:
        folder = backups_folder(settings.PLATFORM_DATA_FOLDER)
        back_up_before(database, folder, migration, settings.PLATFORM_BACKUPS_TO_KEEP)
    except (DatabaseFileError, OSError) as error:
        if isinstance(error, DatabaseFileError) and error.is_damage:
            raise damaged(active(), str(error).rstrip(".")) from error
        raise StartRefusedError(
            f"No backup could be taken before the migrations, so none was applied. "
            f"{error} Free some space or repair the folder, or set "
            "Platform:Database:BackupsToKeep to 0 to continue without one."
        ) from error


def refuse_unknown(
    configuration: Configuration, connection: BaseDatabaseWrapper
) -> None:
    """Raise StartRefusedError for a database this build does not know (HOST-105)."""
    loader = MigrationLoader(connection, ignore_no_migrations=True)
    applied: dict[Name, Any] = dict(loader.applied_migrations or {})
    unknown = _unknown(applied, _added_before(connection), loader)
    if unknown:
        # Those of a squashed migration have none.
        times = [getattr(applied[name], "applied", None) for name in unknown]
        way_back = told_backup_before(configuration, unknown, _first(times))
        can_be_reset = database_file(connection) is not None
        raise StartRefusedError(refusal(unknown, way_back, can_be_reset=can_be_reset))


def refuse_unknown_in_file(configuration: Configuration, database: Path) -> None:
    """Raise StartRefusedError as `refuse_unknown` does, without Django's connection."""
    if unknown := unknown_in_file(database):
        rows = rows_of(database, "django_migrations", "app, name, applied")
        times = [_moment(at) for app, name, at in rows if (app, name) in unknown]
        way_back = told_backup_before(configuration, unknown, _first(times))
        raise StartRefusedError(refusal(unknown, way_back, can_be_reset=True))


def pending_migrations(recorded: set[Name]) -> list[Name]:
    """Return the migrations to apply, in their order."""
    loader = MigrationLoader(None, ignore_no_migrations=True)
    pending: dict[Name, None] = {}
    for leaf in loader.graph.leaf_nodes():
        for name in loader.graph.forwards_plan(leaf):
            replaces = loader.disk_migrations[name].replaces
            is_done = name in recorded or (replaces and recorded.issuperset(replaces))
            if not is_done:
                pending[name] = None
    return list(pending)


def _first(times: Sequence[datetime | None]) -> datetime | None:
    """Return the earliest time, None if one isn't known."""
    known = [time for time in times if time is not None]
    return min(known) if known and len(known) == len(times) else None


def _moment(text: str) -> datetime | None:
    """Return a time as Django stores it in SQLite."""
    try:
        return datetime.fromisoformat(text).replace(tzinfo=UTC)
    except ValueError:
        return None


def newer_migrations() -> str:
    """Return the names of applied migrations that this version doesn't know, as one
    text; for a server at work."""
    connection = connections[DEFAULT_DB_ALIAS]
    try:
        recorded = MigrationRecorder(connection).applied_migrations()
        if not set(recorded) - set(_on_disk().disk_migrations):
            return ""
        unknown = _unknown(recorded, _added_before(connection), _on_disk())
    finally:
        connection.close()
    return ", ".join(f"{app}.{name}" for app, name in unknown)


@cache
def _on_disk() -> MigrationLoader:
    return MigrationLoader(None, ignore_no_migrations=True)


def _check_fresh_on_a_server(connection: BaseDatabaseWrapper) -> None:
    """Warn of a server's database that has nothing of ours, or refuse it where one must
    exist.

    This has been done for a SQLite file before it could be opened.
    """
    if connection.vendor == "sqlite" or MigrationRecorder(connection).has_table():
        return
    if not settings.PLATFORM_DATABASE_MUST_EXIST:
        note_empty_start(active())
        return
    raise StartRefusedError(
        f"The database {connection.settings_dict['NAME']} has no tables of this "
        f"platform, and {MUST_EXIST} asks for them; nothing was changed. Check the "
        f"connection string, restore the database on its server, or set {MUST_EXIST} "
        "to false for a first start."
    )


def unknown_in_file(database: Path) -> tuple[tuple[str, str], ...]:
    """Return the unknown migrations of a SQLite file, without Django's connection.

    A reset may delete the file, so nothing may keep it open. Raises sqlite3.Error.
    """
    loader = MigrationLoader(None, ignore_no_migrations=True)
    recorded = rows_of(database, "django_migrations", "app, name")
    added = rows_of(database, AddedApp._meta.db_table, "label")
    return _unknown(recorded, {label for (label,) in added}, loader)


def unknown_among(
    recorded: Iterable[tuple[str, str]], added: Iterable[str]
) -> tuple[tuple[str, str], ...]:
    """Return the unknown ones of the migrations of an archive, given the apps that were
    added to its product."""
    loader = MigrationLoader(None, ignore_no_migrations=True)
    return _unknown(list(recorded), set(added), loader)


def database_file(connection: BaseDatabaseWrapper) -> Path | None:
    """Return the file of a SQLite database, or None for any other."""
    if connection.vendor != "sqlite":
        return None
    name = str(connection.settings_dict["NAME"])
    # Tests may keep theirs in memory.
    return None if "memory" in name and not Path(name).is_file() else Path(name)


def record_added_apps(*, using: str, **_signal: object) -> None:
    """Write down the apps of Platform:Apps; receives Django's `post_migrate`."""
    if AddedApp._meta.db_table in connections[using].introspection.table_names():
        for label in added_labels():
            AddedApp.objects.using(using).get_or_create(label=label)


def _added_before(connection: BaseDatabaseWrapper) -> set[str]:
    if AddedApp._meta.db_table not in connection.introspection.table_names():
        return set()
    rows = AddedApp.objects.using(connection.alias)
    return set(rows.values_list("label", flat=True))


def _unknown(
    recorded: Any, added: set[str], loader: MigrationLoader
) -> tuple[tuple[str, str], ...]:
    removed = added - {config.label for config in apps.get_app_configs()}
    if removed:
        logger.warning(
            "The database has tables of apps that are no longer in "
            "Platform:Apps: %s. They are kept.",
            ", ".join(sorted(removed)),
        )
    if not apps.is_installed("procrastinate.contrib.django"):
        removed = removed | {_OPTIONAL}
    recorded = [name for name in recorded if name[0] not in removed]
    replaced = [
        name
        for migration in loader.disk_migrations.values()
        for name in migration.replaces
    ]
    return unknown_migrations(recorded, loader.disk_migrations, replaced)
