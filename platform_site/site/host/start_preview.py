"""What the next start would do, found out without changing anything: for whoever is about to
upgrade."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from django.conf import settings
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder
from django.db.utils import DatabaseError
from filelock import FileLock, Timeout

from licensing.services import current_licence
from platform_site import __version__
from platform_site.settings import key_rotation, signing_key
from platform_site.settings.configuration import Configuration
from platform_site.settings.connections import Provider
from platform_site.settings.errors import StartRefusedError
from platform_site.settings.listen import endpoints
from platform_site.site.host.attachments import require_readable
from platform_site.site.host.backups import backups_folder
from platform_site.site.host.before_migrations import (
    pending_migrations,
    refuse_unknown,
    refuse_unknown_in_file,
)
from platform_site.site.host.empty_start import (
    MUST_EXIST,
    damaged,
    refused_as_missing,
    sqlite_file,
    warning_of_empty_start,
)
from platform_site.site.host.installation import warning_of_program_folder
from platform_site.site.host.instance_lock import FILE
from platform_site.site.host.last_start import last_start
from platform_site.site.host.migration_history import Name, written
from platform_site.site.host.reset import Orders, is_reset_due
from platform_site.site.host.sqlite_file import (
    rows_of,
    sidecars,
    why_not_a_database,
)
from platform_site.site.host.start_warnings import start_warnings
from platform_site.site.host.way_back import told_newest_backup

_LOG: Final = "-wal"


@dataclass(slots=True)
class StartPreview:
    """What a start would do: facts, its work, and what would make it refuse."""

    facts: list[str] = field(default_factory=list)
    work: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    refusals: list[str] = field(default_factory=list)


def preview_start(configuration: Configuration) -> StartPreview:
    """Return what `startup` would do now; nothing is changed."""
    found = StartPreview()
    _look_at_version(configuration, found)
    _look_at_lock(configuration, found)
    try:
        if (database := sqlite_file(configuration)) is not None:
            _look_at_file(configuration, database, found)
        else:
            _look_at_server(configuration, found)
    except StartRefusedError as error:
        found.refusals.append(str(error))
    except (DatabaseError, sqlite3.Error, OSError) as error:
        reason = " ".join(str(error).split()).rstrip(".")
        found.refusals.append(f"The database cannot be used: {reason}.")
    _look_at_bucket(configuration, found)
    _look_at_keys(configuration, found)
    licence = current_licence()
    found.facts.append(f"Licence: {licence.state}. {licence.reason}".rstrip())
    found.warnings += configuration.warnings
    if warning := warning_of_program_folder(configuration):
        found.warnings.append(warning)
    found.warnings += map(
        str, start_warnings(configuration, endpoints(configuration.settings))
    )
    return found


def _look_at_version(configuration: Configuration, found: StartPreview) -> None:
    data = configuration.data_folder
    found.facts.append(f"Data folder: {data}")
    last = last_start(data)
    if last is None:
        found.facts.append(f"Version: {__version__}")
    elif last.version == __version__:
        found.facts.append(f"Version: {__version__}, as at the last start")
    else:
        found.work.append(f"Version {last.version} becomes {__version__}.")
    if not data.is_dir():
        found.work.append(f"The data folder {data} is created.")


def _look_at_lock(configuration: Configuration, found: StartPreview) -> None:
    path = configuration.data_folder.joinpath(*FILE)
    if not path.is_file():
        return
    lock = FileLock(path, mode=0o600)
    try:
        lock.acquire(blocking=False)
    except Timeout:
        found.facts.append("A server is running; the start needs it to be stopped.")
    else:
        lock.release()


def _look_at_file(
    configuration: Configuration, database: Path, found: StartPreview
) -> None:
    values = configuration.settings
    orders = Orders(
        token=values.text("Platform:Database:ResetToken"),
        policy=values.text("Platform:Database:IncompatibleHistory"),
    )
    if is_reset_due(orders, backups_folder(configuration.data_folder)):
        found.work.append(
            f"The database {database} is saved to backups/ and RESET to an empty one."
        )
        return
    if not database.exists():
        if settings.PLATFORM_DATABASE_MUST_EXIST:
            raise refused_as_missing(configuration)
        found.work.append(f"The database {database} is created.")
        _warn_of_empty_start(configuration, found)
        return
    if reason := why_not_a_database(database):
        raise damaged(configuration, reason)
    refuse_unknown_in_file(configuration, database)
    recorded = rows_of(database, "django_migrations", "app, name")
    pending = pending_migrations({(app, name) for app, name in recorded})
    _tell_migrations(pending, found)
    if pending and recorded:
        if settings.PLATFORM_BACKUPS_TO_KEEP:
            _look_at_room(configuration, database, found)
        else:
            _warn_of_no_copy(configuration, found)


def _look_at_room(
    configuration: Configuration, database: Path, found: StartPreview
) -> None:
    """Tell the size of the backup, and whether there is room for it."""
    log = [path for path in sidecars(database) if path.name.endswith(_LOG)]
    size = sum(path.stat().st_size for path in (database, *log) if path.is_file())
    free = shutil.disk_usage(configuration.data_folder).free
    room = f"{_shown(size)} of {_shown(free)} free"
    if size > free:
        found.refusals.append(f"There is no room for the backup: it needs {room}.")
    else:
        found.work.append(f"A backup is made before them: {room}.")


def _look_at_server(configuration: Configuration, found: StartPreview) -> None:
    with connection.cursor():  # whether it can be reached
        pass
    refuse_unknown(configuration, connection)
    recorded = set(MigrationRecorder(connection).applied_migrations())
    if not recorded and settings.PLATFORM_DATABASE_MUST_EXIST:
        name = connection.settings_dict["NAME"]
        found.refusals.append(
            f"The database {name} has no tables of this platform, and {MUST_EXIST} "
            "asks for them."
        )
        return
    pending = pending_migrations(recorded)
    _tell_migrations(pending, found)
    if not recorded:
        _warn_of_empty_start(configuration, found)
    elif pending:
        _warn_of_no_copy(configuration, found)


def _warn_of_empty_start(configuration: Configuration, found: StartPreview) -> None:
    if warning := warning_of_empty_start(configuration):
        found.warnings.append(warning)


def _warn_of_no_copy(configuration: Configuration, found: StartPreview) -> None:
    has_archives = configuration.connection.provider is not Provider.SQL_SERVER
    how = (
        "Run backup --all with the version that is in use now"
        if has_archives
        else "Back it up on its server"
    )
    found.warnings.append(
        "A start doesn't copy the database before the migrations. "
        f"{told_newest_backup(configuration)} {how} first."
    )


def _tell_migrations(pending: Iterable[Name], found: StartPreview) -> None:
    names = list(pending)
    if names:
        found.work.append(f"Migrations are applied ({len(names)}): {written(names)}.")
    else:
        found.facts.append("Database: up to date")


def _look_at_bucket(configuration: Configuration, found: StartPreview) -> None:
    bucket = configuration.blobs_bucket
    if bucket is None:
        return
    found.facts.append(f"Attachments: {bucket.name}")
    try:
        require_readable(configuration)
    except StartRefusedError as error:
        found.refusals.append(str(error))


def _look_at_keys(configuration: Configuration, found: StartPreview) -> None:
    if configuration.settings.text("JwtOptions:Secret"):
        return
    data = configuration.data_folder
    try:
        if signing_key.read_signing_key(data) is None:
            found.work.append(f"The signing key {signing_key.key_file(data)} is made.")
    except StartRefusedError as error:
        found.refusals.append(str(error))
    lifetime = key_rotation.longest_lifetime(configuration.settings)
    now = datetime.now(UTC)
    for old in key_rotation.old_keys(data):
        if now - old.replaced_at >= lifetime:
            found.work.append(f"The earlier signing key {old.path} is deleted.")


def _shown(size: int) -> str:
    return f"{size / 1e6:,.1f} MB"
