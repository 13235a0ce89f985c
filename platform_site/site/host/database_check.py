"""SQLite's integrity check, once a day in a server thread: damage inside a file would
otherwise show only when that page is read."""

from __future__ import annotations

import logging
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

import msgspec

from platform_site.settings.configuration import Configuration
from platform_site.settings.durable import as_json, replace_text
from platform_site.site.host.backups import (
    archives_folder,
    backups_folder,
    newest_good_backup,
)
from platform_site.site.host.empty_start import sqlite_file

EVERY: Final = timedelta(days=1)
# Delayed, because a start is busy and may be repeated often.
AFTER_START_SECONDS: Final = 60.0
_CHECK_EVERY_SECONDS: Final = 600.0
_RECORD: Final = ("db", "last-check.json")
# How often the check tests whether the server stops, in steps of SQLite.
_STEPS: Final = 100_000
logger = logging.getLogger("platform.host")


@dataclass(frozen=True, slots=True)
class Check:
    """The result of a check: the damage, and the newest undamaged copy."""

    at: str
    damage: str
    copy: str


@contextmanager
def daily_check(configuration: Configuration) -> Iterator[None]:
    """Check the database once a day inside the block."""
    database = sqlite_file(configuration)
    if database is None:
        yield
        return
    stop = threading.Event()

    def keep_checking() -> None:
        pause = AFTER_START_SECONDS
        while not stop.wait(pause):
            try:
                if is_due(configuration.data_folder, datetime.now(UTC)):
                    kept = archives_folder(configuration)
                    check_now(database, configuration.data_folder, stop, kept)
            except Exception:
                # The thread must survive an unavailable database or a full disk.
                if not stop.is_set():
                    logger.exception("The check of the database was not possible")
            pause = _CHECK_EVERY_SECONDS

    threading.Thread(target=keep_checking, name="database check", daemon=True).start()
    try:
        yield
    finally:
        stop.set()


def is_due(data_folder: Path, now: datetime) -> bool:
    """Return whether the last check is a day old, found damage, or lies in the
    future."""
    last = last_check(data_folder)
    if last is None or last.damage:
        return True
    return not timedelta() <= now - datetime.fromisoformat(last.at) < EVERY


def check_now(
    database: Path,
    data_folder: Path,
    stop: threading.Event | None = None,
    archives: Path | None = None,
) -> Check:
    """Check a database in use; store and log the result.

    Raise sqlite3.OperationalError if it was interrupted, for example by `stop`.
    """
    damage = _damage(database, stop or threading.Event())
    kept = archives or backups_folder(data_folder)
    copy = newest_good_backup(data_folder, kept) if damage else None
    found = Check(
        datetime.now(UTC).isoformat(timespec="seconds"),
        damage,
        "" if copy is None else str(copy),
    )
    if damage:
        logger.error(
            "The database %s is damaged: %s. The newest intact backup is %s.",
            database,
            damage,
            found.copy or "none",
        )
    else:
        logger.info("The database %s is intact.", database)
    with suppress(OSError):  # it is logged, and checked again
        replace_text(data_folder.joinpath(*_RECORD), as_json(found))
    return found


def last_check(data_folder: Path) -> Check | None:
    """Return the result of the last check, None if there was none."""
    try:
        found = data_folder.joinpath(*_RECORD).read_bytes()
        return msgspec.json.decode(found, type=Check)
    except (OSError, ValueError):
        return None


def forget_checks(data_folder: Path) -> None:
    """Delete the result for a database that was replaced."""
    data_folder.joinpath(*_RECORD).unlink(missing_ok=True)


def _damage(database: Path, stop: threading.Event) -> str:
    """Return what SQLite finds wrong, empty if the database is intact.

    It uses its own read-only connection, so that writers aren't blocked.
    """
    uri = f"{database.absolute().as_uri()}?mode=ro"
    try:
        with closing(sqlite3.connect(uri, uri=True)) as connection:
            connection.set_progress_handler(lambda: int(stop.is_set()), _STEPS)
            found = str(connection.execute("PRAGMA quick_check(1)").fetchone()[0])
    except sqlite3.OperationalError:
        raise
    except sqlite3.DatabaseError as error:
        found = str(error)
    return "" if found == "ok" else " ".join(found.split()).removeprefix("*** ")
