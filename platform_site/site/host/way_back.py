"""What leads back from an upgrade: the newest backup, told before migrations of a
database that isn't copied, and the newest one from before an upgrade."""

from __future__ import annotations

from collections.abc import Collection
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

from platform_site import __version__
from platform_site.settings.configuration import Configuration
from platform_site.settings.connections import Provider
from platform_site.site.host.archive_folder import (
    ArchiveFile,
    archives,
    is_archive_name,
)
from platform_site.site.host.backups import (
    archives_folder,
    backups_folder,
    copies,
    copy_taken_at,
    newest_good_backup,
)
from platform_site.site.host.migration_history import Name
from platform_site.site.host.sqlite_file import (
    DatabaseFileError,
    check_database,
    rows_of,
)


def told_newest_backup(configuration: Configuration) -> str:
    """Return the sentence that names the newest backup and its age, or says that there
    is none."""
    path = newest_backup(configuration)
    if path is None:
        return _told_none(configuration)
    return f"The newest backup is {path}, {_age(path)} old."


def told_backup_before(
    configuration: Configuration, unknown: Collection[Name], upgraded: datetime | None
) -> str:
    """Return the sentence that names the newest backup from before an upgrade, with the
    command to restore it, or says that there is none.

    `unknown` are the migrations of the upgrade, and `upgraded` is when the first was
    applied, None if that isn't known.
    """
    path = _backup_before(configuration, unknown, upgraded)
    if path is None:
        return f"No such backup is in {archives_folder(configuration)}; use your own."
    return (
        f"The newest is {path}, {_age(path)} old: stop everything that uses the database, "
        f"and run {_restore_call(configuration, path)}; later changes are lost."
    )


def after_failed_migration(
    configuration: Configuration, *, is_rolled_back: bool, before: int
) -> str:
    """Return what a failed migration leaves behind, and how to continue or go back.

    `before` is the number of migrations that were applied before it.
    """
    again = "Remove the cause and start again, which continues with it"
    if is_rolled_back and not before:
        return (
            "It was rolled back, so the database is as it was before. "
            f"{again}, or start the version before."
        )
    told = (
        "It was rolled back"
        if is_rolled_back
        else "It isn't made in one transaction, so a part of it may be done"
    )
    told += f"; {before} before it stay applied. {again}. "
    path = newest_backup(configuration)
    if path is None:
        return told + _told_none(configuration)
    return (
        f"{told}To go back, run {_restore_call(configuration, path)} ({_age(path)} old), "
        "and start the version before."
    )


def newest_backup(configuration: Configuration) -> Path | None:
    """Return the newest intact backup of this kind of database, None without one."""
    folder = archives_folder(configuration)
    if configuration.connection.provider is Provider.SQLITE:
        return newest_good_backup(configuration.data_folder, folder)
    if configuration.connection.provider is Provider.SQL_SERVER:
        return None
    return next((one.path for one in archives(folder) if one.is_good), None)


def _told_none(configuration: Configuration) -> str:
    if configuration.connection.provider is Provider.SQL_SERVER:
        return "Only a backup made on its server leads back."
    folder = archives_folder(configuration)
    return f"There is no backup in {folder}, so nothing leads back."


def _restore_call(configuration: Configuration, path: Path) -> str:
    is_sqlite = configuration.connection.provider is Provider.SQLITE
    return f"restore {path}" if is_sqlite else f"restore --replace {path}"


def _backup_before(
    configuration: Configuration, unknown: Collection[Name], upgraded: datetime | None
) -> Path | None:
    found = [
        (one.taken, one.path)
        for one in archives(archives_folder(configuration))
        if one.is_good and _is_archive_before(one, upgraded)
    ]
    if configuration.connection.provider is Provider.SQLITE:
        kept = copies(backups_folder(configuration.data_folder))
        found += [(copy_taken_at(one), one) for one in kept]
    for _taken, path in sorted(found, reverse=True):
        if is_archive_name(path.name) or _is_copy_before(path, unknown):
            return path
    return None


def _is_archive_before(archive: ArchiveFile, upgraded: datetime | None) -> bool:
    """Return whether an archive is from before an upgrade, without reading it: its list
    of migrations is at its end, and may be encrypted."""
    version = archive.state.version
    if version and _parts(version) > _parts(__version__):
        return False
    return bool(version) if upgraded is None else archive.taken < upgraded


def _is_copy_before(copy: Path, unknown: Collection[Name]) -> bool:
    """Return whether an intact copy has none of the migrations."""
    with suppress(DatabaseFileError):
        check_database(copy)
        return set(unknown).isdisjoint(rows_of(copy, "django_migrations", "app, name"))
    return False


def _parts(version: str) -> list[int]:
    return [int(part) for part in version.split(".") if part.isdecimal()]


def _age(backup: Path) -> str:
    """Return the age of a backup in the largest unit of which it has two."""
    age = datetime.now(UTC) - copy_taken_at(backup)
    for unit in ("days", "hours"):
        if (count := age // timedelta(**{unit: 1})) > 1:
            return f"{count} {unit}"
    minutes = max(age // timedelta(minutes=1), 0)
    return "1 minute" if minutes == 1 else f"{minutes} minutes"
