"""SQLite's own check of the database, once a day in a thread of the server: damage in the
middle of a file shows nowhere else until somebody reads that page."""

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
from platform_site.site.host.backups import backups_folder, newest_good_copy
from platform_site.site.host.empty_start import sqlite_file

EVERY: Final = timedelta(days=1)
# A start has enough to do, and one that is repeated again and again checks nothing.
AFTER_START_SECONDS: Final = 60.0
_LOOK_EVERY_SECONDS: Final = 600.0
_RECORD: Final = ("db", "last-check.json")
# Between two looks whether the server stops, in steps of SQLite's machine.
_STEPS: Final = 100_000
logger = logging.getLogger("platform.host")


@dataclass(frozen=True, slots=True)
class Check:
    """What a check found: the damage, and the newest copy that has none."""

    at: str
    damage: str
    copy: str


@contextmanager
def daily_check(configuration: Configuration) -> Iterator[None]:
    """Check the database once a day while the block lasts, beside everything else."""
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
                    check_now(database, configuration.data_folder, stop)
            except Exception:
                # A database that is away, a full disk: the thread must outlive them.
                if not stop.is_set():
                    logger.exception("The check of the database was not possible")
            pause = _LOOK_EVERY_SECONDS

    threading.Thread(target=keep_checking, name="database check", daemon=True).start()
    try:
        yield
    finally:
        stop.set()


def is_due(data_folder: Path, now: datetime) -> bool:
    """Return whether the last check is a day old, or bad; a clock set back checks
    anew."""
    last = last_check(data_folder)
    if last is None or last.damage:
        return True
    return not timedelta() <= now - datetime.fromisoformat(last.at) < EVERY


def check_now(
    database: Path, data_folder: Path, stop: threading.Event | None = None
) -> Check:
    """Check a database that is in use, and keep and log what was found.

    Raises sqlite3.OperationalError where it came to no end, as when `stop` is set.
    """
    damage = _damage(database, stop or threading.Event())
    copy = newest_good_copy(backups_folder(data_folder)) if damage else None
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
        logger.info("The database %s is in order.", database)
    with suppress(OSError):  # it is told in the log, and checked again
        replace_text(data_folder.joinpath(*_RECORD), as_json(found))
    return found


def last_check(data_folder: Path) -> Check | None:
    """Return what the last check found, None if there was none."""
    try:
        found = data_folder.joinpath(*_RECORD).read_bytes()
        return msgspec.json.decode(found, type=Check)
    except (OSError, ValueError):
        return None


def forget_checks(data_folder: Path) -> None:
    """Forget what was found in a database that is no more."""
    data_folder.joinpath(*_RECORD).unlink(missing_ok=True)


def _damage(database: Path, stop: threading.Event) -> str:
    """Return what SQLite finds wrong, nothing if the database is in order.

    By a connection of its own that only reads: writers go on beside it.
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
