"""The check of the SQLite file at the start: a missing one is created, with a notice if
there are traces of an earlier installation; a damaged one is refused (HOST-096)."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import msgspec

from platform_site.settings import data_folder as folders
from platform_site.settings.configuration import Configuration
from platform_site.settings.connections import Provider
from platform_site.settings.durable import as_json, replace_text
from platform_site.settings.errors import StartRefusedError
from platform_site.settings.signing_key import key_file
from platform_site.site.host.archive_folder import archives
from platform_site.site.host.attachments import has_blobs, place_of
from platform_site.site.host.backups import (
    archives_folder,
    backups_folder,
    copies,
    put_aside,
)
from platform_site.site.host.sqlite_file import (
    create_database,
    sidecars,
    why_not_a_database,
)
from platform_site.site.host.way_back import newest_backup, told_newest_backup

MUST_EXIST: Final = "Platform:Database:MustExist"
_RECORD: Final = ("db", "started-empty.json")
logger = logging.getLogger("platform.host")


@dataclass(frozen=True, slots=True)
class EmptyStart:
    """The traces found when a start created a missing database."""

    database: str
    beside: tuple[str, ...]
    copy: str


def sqlite_file(configuration: Configuration) -> Path | None:
    """Return the SQLite file, None for a database server."""
    if configuration.connection.provider is not Provider.SQLITE:
        return None
    return Path(str(configuration.connection.entry["NAME"]))


def prepare_database_file(configuration: Configuration) -> None:
    """Create a missing SQLite database; raise StartRefusedError for a damaged one.

    A refusal changes nothing.
    """
    database = sqlite_file(configuration)
    if database is None:
        return
    folders.prepare(database.parent)
    if database.exists():
        _refuse_damaged(configuration, database)
        return
    if configuration.settings.switch(MUST_EXIST):
        raise refused_as_missing(configuration)
    note_empty_start(configuration)
    create_file(configuration)


def refused_as_missing(configuration: Configuration) -> StartRefusedError:
    """Return the refusal of a missing SQLite database that must exist."""
    found = _found_beside(configuration)
    return StartRefusedError(
        f"There is no database {found.database}, and {MUST_EXIST} asks for one. "
        f"{_description(found)}{remedy(configuration)} Or check Platform:DataPath and "
        f"ConnectionStrings:Sqlite, or set {MUST_EXIST} to false for a first start."
    )


def note_empty_start(configuration: Configuration) -> None:
    """Warn of files of an earlier installation when a SQLite database is missing or that
    of a server is empty, and record it for the start page."""
    found = _found_beside(configuration)
    if not found.beside:
        return
    record = record_of_empty_start(configuration.data_folder)
    folders.prepare(record.parent)
    replace_text(record, as_json(found))
    keep = f"To keep the empty one, delete {record}. "
    logger.warning("%s", _told(configuration, found, keep))


def warning_of_empty_start(configuration: Configuration) -> str:
    """Return what a start would warn of, without recording it; empty if there are no
    files of an earlier installation."""
    found = _found_beside(configuration)
    return _told(configuration, found) if found.beside else ""


def _told(configuration: Configuration, found: EmptyStart, keep: str = "") -> str:
    if sqlite_file(configuration) is not None:
        return (
            f"There is no database {found.database}, so an empty one is created. "
            f"{_description(found)}{keep}{remedy(configuration)}"
        )
    return (
        f"The database {found.database} has no tables of this platform, so they are "
        f"created. {_description(found)}{keep}{told_newest_backup(configuration)} Check "
        "the connection string, or restore the database."
    )


def create_file(configuration: Configuration) -> None:
    """Create a SQLite database where there is none (any more)."""
    database = sqlite_file(configuration)
    if database is None or database.exists():
        return
    if any(path.exists() for path in sidecars(database)):
        # SQLite would apply the log of the lost database to the new one.
        folders.prepare(backups_folder(configuration.data_folder))
        put_aside(database, backups_folder(configuration.data_folder))
    create_database(database)


def damaged(configuration: Configuration, reason: str) -> StartRefusedError:
    """Return the refusal of a damaged SQLite database, with the remedy."""
    return StartRefusedError(
        f"The database {sqlite_file(configuration)} is damaged: {reason}. "
        f"{remedy(configuration)}"
    )


def remedy(configuration: Configuration) -> str:
    """Return the sentence that names the newest backup to restore."""
    copy = newest_backup(configuration)
    if copy is not None:
        return (
            f"The newest intact backup is {copy}; restore it with the command restore."
        )
    return (
        "There is no intact backup in the data folder: restore your "
        "own backup, or move the existing files away to start with an "
        "empty database."
    )


def record_of_empty_start(data_folder: Path) -> Path:
    """Return the file that keeps the notice of an empty start until it is deleted."""
    return data_folder.joinpath(*_RECORD)


def recorded_empty_start(data_folder: Path) -> EmptyStart | None:
    """Return what an empty start found, None if there is no notice."""
    try:
        found = record_of_empty_start(data_folder).read_bytes()
        return msgspec.json.decode(found, type=EmptyStart)
    except FileNotFoundError:
        return None


def forget_empty_start(data_folder: Path) -> None:
    """Delete the record when the database is restored."""
    record_of_empty_start(data_folder).unlink(missing_ok=True)


def _refuse_damaged(configuration: Configuration, database: Path) -> None:
    try:
        reason = why_not_a_database(database)
    except OSError as error:
        raise StartRefusedError(
            f"The database {database} cannot be read: {error.strerror or error}. Give "
            "the application's user access to it."
        ) from error
    if reason:
        raise damaged(configuration, f"{reason}; nothing was changed")


def _found_beside(configuration: Configuration) -> EmptyStart:
    database = sqlite_file(configuration)
    if database is None:
        # The signing key is no trace, because this start may have created it.
        name = str(configuration.connection.entry["NAME"])
        return EmptyStart(name, tuple(_blobs_and_backups(configuration)), "")
    key = key_file(configuration.data_folder)
    beside = [str(path) for path in (*sidecars(database), key) if path.exists()]
    beside += _blobs_and_backups(configuration)
    copy = newest_backup(configuration)
    return EmptyStart(str(database), tuple(beside), "" if copy is None else str(copy))


def _blobs_and_backups(configuration: Configuration) -> list[str]:
    """Return the places of blobs and backups, if there is something in them."""
    backups = backups_folder(configuration.data_folder)
    kept = archives_folder(configuration)
    found = [place_of(configuration)] if has_blobs(configuration) else []
    if copies(backups) or archives(backups):
        found.append(str(backups))
    if kept != backups and archives(kept):
        found.append(str(kept))
    return found


def _description(found: EmptyStart) -> str:
    if not found.beside:
        return ""
    return f"Files of an earlier installation exist: {', '.join(found.beside)}. "
