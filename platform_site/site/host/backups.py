"""The copies in `backups/`: their names, the copies before migrations, manual copies,
those before a reset or restore, and the number kept."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from platform_site.settings import data_folder as folders
from platform_site.settings.configuration import Configuration
from platform_site.site.host.archive_folder import archives, is_archive_name
from platform_site.site.host.sqlite_file import (
    DatabaseFileError,
    check_database,
    copy_database,
    move_aside,
    same_content,
    why_not_a_database,
)

FOLDER: Final = "backups"
# Only these are pruned: other copies may be the only ones left (OPEN-107).
_BEFORE_MIGRATION: Final = re.compile(
    r"platform-\d{8}T\d{12}Z-before-\w+\.\w+\.db", re.ASCII
)
_BEFORE_RESET: Final = "before-reset"
_DAMAGED: Final = "damaged"
# A damaged database that was moved aside can't be restored.
_ANY_COPY: Final = re.compile(
    rf"platform-\d{{8}}T\d{{12}}Z-(?!{_DAMAGED}).+\.db", re.ASCII
)
_MOMENT: Final = "%Y%m%dT%H%M%S%f"
_UNFINISHED: Final = ".platform-*.tmp"
logger = logging.getLogger("platform.host")


def backups_folder(data_folder: Path) -> Path:
    """Return the folder of the copies (HOST-075)."""
    return data_folder / FOLDER


def copy_name(occasion: str, moment: datetime) -> str:
    """Return a file name that sorts by time (HOST-100)."""
    return f"platform-{moment.strftime(_MOMENT)}Z-{occasion}.db"


def save_copy(database: Path, folder: Path, occasion: str) -> Path:
    """Copy a database to the folder, log it and return the path of the copy (HOST-101).

    Raise DatabaseFileError, or StartRefusedError if the folder isn't writable.
    """
    folders.prepare(folder)
    for stray in folder.glob(_UNFINISHED):
        stray.unlink(missing_ok=True)
    copy = folder / copy_name(occasion, datetime.now(UTC))
    copy_database(database, copy)
    logger.info("Backup written: %s", copy)
    return copy


def save_copy_once(
    database: Path, folder: Path, occasion: str, earlier: list[Path]
) -> Path:
    """Copy a database, and delete the copy if it equals the newest earlier one.

    Return the copy with the current state, new or not.
    """
    copy = save_copy(database, folder, occasion)
    newest = max(earlier, default=None)
    if newest is None or not same_content(newest, copy):
        return copy
    copy.unlink()
    logger.info("The new backup is equal to %s and was deleted.", newest)
    return newest


def back_up_before(database: Path, folder: Path, migration: str, keep: int) -> Path:
    """Copy a database before a migration, and keep the newest copies (HOST-103).

    Equal copies count once, so that a start that fails repeatedly doesn't replace the
    good copy. Return the copy with the current state.
    """
    earlier = migration_backups(folder)
    copy = save_copy_once(database, folder, f"before-{migration}", earlier)
    for outdated in migration_backups(folder)[:-keep]:
        outdated.unlink(missing_ok=True)
        logger.info("Older backup removed: %s", outdated)
    return copy


def back_up_before_reset(database: Path, folder: Path) -> Path:
    """Copy a database before its deletion; such copies are never pruned (OPEN-107).

    A damaged database is moved aside instead, since data may be recovered from it.
    """
    earlier = list(folder.glob(f"platform-*-{_BEFORE_RESET}.db"))
    return save_or_move_aside(
        database,
        folder,
        lambda: save_copy_once(database, folder, _BEFORE_RESET, earlier),
    )


def save_or_move_aside(database: Path, folder: Path, save: Callable[[], Path]) -> Path:
    """Return the copy that `save` makes; move a damaged database aside.

    Raise DatabaseFileError if it can't be copied for another reason.
    """
    try:
        if not why_not_a_database(database):
            return save()
    except DatabaseFileError as error:
        if not error.is_damage:
            raise
    folders.prepare(folder)
    return put_aside(database, folder)


def put_aside(database: Path, folder: Path) -> Path:
    """Move the remains of a database, including its sidecar files, to the folder."""
    aside = folder / copy_name(_DAMAGED, datetime.now(UTC))
    move_aside(database, aside)
    logger.warning("The database is damaged; it was moved to %s.", aside)
    return aside


def copies(folder: Path) -> list[Path]:
    """Return the restorable copies of the database, the newest first."""
    if not folder.is_dir():
        return []
    found = [path for path in folder.iterdir() if _ANY_COPY.fullmatch(path.name)]
    return sorted(found, key=lambda path: path.name, reverse=True)


def archives_folder(configuration: Configuration) -> Path:
    """Return the folder of archives."""
    return configuration.data_folder / configuration.settings.text("Backup:Folder")


def newest_good_backup(data_folder: Path, archives_folder: Path) -> Path | None:
    """Return the newest archive that was read again when it was made, or copy of the
    database that passes SQLite's check, None if there is none of both."""
    found = [(one.taken, one.path) for one in archives(archives_folder) if one.is_good]
    found += [(copy_taken_at(one), one) for one in copies(backups_folder(data_folder))]
    for _taken, path in sorted(found, reverse=True):
        if is_archive_name(path.name):
            return path
        with suppress(DatabaseFileError):
            check_database(path)
            return path
    return None


def newest_copy_taken_at(folder: Path) -> datetime | None:
    """Return when the newest copy of the database was taken, None if there is none."""
    return next((copy_taken_at(newest) for newest in copies(folder)[:1]), None)


def copy_taken_at(copy: Path) -> datetime:
    """Return when a copy of the database was taken, as its name says."""
    moment = copy.name.removeprefix("platform-").partition("Z")[0]
    return datetime.strptime(moment, _MOMENT).replace(tzinfo=UTC)


def migration_backups(folder: Path) -> list[Path]:
    """Return the copies taken before migrations, oldest first."""
    if not folder.is_dir():
        return []
    return sorted(
        path for path in folder.iterdir() if _BEFORE_MIGRATION.fullmatch(path.name)
    )
