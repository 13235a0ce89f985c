"""The last steps of a restore, recorded before the first of them: whatever interrupts
them, the next start or restore repeats them until they are done."""

from __future__ import annotations

import logging
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import msgspec

from platform_site.accounts.security_log import note_restore
from platform_site.settings import data_folder as folders
from platform_site.settings.configuration import Configuration
from platform_site.settings.durable import as_json, replace_text, sync_file, sync_folder
from platform_site.settings.errors import StartRefusedError
from platform_site.settings.signing_key import key_file
from platform_site.site.host.attachments import store_of
from platform_site.site.host.backups import backups_folder
from platform_site.site.host.before_migrations import migration_lock
from platform_site.site.host.database_check import forget_checks
from platform_site.site.host.empty_start import forget_empty_start, sqlite_file
from platform_site.site.host.postgres_tools import empty, postgres_tools
from platform_site.site.host.reset import finish_reset
from platform_site.site.host.sqlite_file import DatabaseFileError, replace_database

STAGED: Final = "restore-staged"
_STAGED_BLOBS: Final = ".restore"
_UNCHECKED: Final = "-unchecked"
_RECORD: Final = "pending.json"
DATABASE: Final = "database"
KEY: Final = "key"
EARLIER_KEYS: Final = "earlier-keys"
LICENCE: Final = "licence"
SETTINGS: Final = "settings.json"
_SETTINGS_COPY: Final = "restored-settings.json"
logger = logging.getLogger("platform.host")


class PendingRestore(msgspec.Struct, frozen=True, kw_only=True):
    """A restore whose archive was checked and unpacked, and that is being put in
    place."""

    archive: str
    # When it was made.
    taken: str = ""


class Staging:
    """The folders that an archive is unpacked to, on the disks of their final
    places. Blobs for a bucket are in the folder of blobs until they are uploaded."""

    def __init__(self, configuration: Configuration, *, checked: bool) -> None:
        end = "" if checked else _UNCHECKED
        self.folder = configuration.data_folder / f"{STAGED}{end}"
        self.blobs = configuration.blobs_folder / f"{_STAGED_BLOBS}{end}"

    def remove(self) -> None:
        """Delete the folders; the record first, since it says that they are whole."""
        record = self.folder / _RECORD
        if record.exists():
            record.unlink()
            sync_folder(self.folder)
        for folder in (self.folder, self.blobs):
            shutil.rmtree(folder, ignore_errors=True)

    def prepare(self) -> None:
        """Create empty folders."""
        self.remove()
        for folder in (self.folder, self.blobs):
            folders.prepare(folder)


def pending_restore(configuration: Configuration) -> PendingRestore | None:
    """Return the restore that isn't finished, None if there is none."""
    record = Staging(configuration, checked=True).folder / _RECORD
    try:
        return msgspec.json.decode(record.read_bytes(), type=PendingRestore)
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise StartRefusedError(
            f"{record} can't be read ({error}), so an interrupted restore can't be "
            "completed. Run the command restore again."
        ) from None


def refuse_while_pending(configuration: Configuration) -> None:
    """Raise StartRefusedError while a restore isn't finished."""
    pending = pending_restore(configuration)
    if pending is not None:
        raise StartRefusedError(
            f"The restore of {pending.archive} was interrupted. Start the server, which "
            "completes it, or run the command restore again."
        )


def decide_restore(configuration: Configuration, pending: PendingRestore) -> None:
    """Record that the unpacked archive takes the place of the installation.

    Until here nothing has changed; from here on the restore is completed, by this
    process or the next start.
    """
    fresh = Staging(configuration, checked=False)
    staged = Staging(configuration, checked=True)
    staged.remove()
    fresh.blobs.rename(staged.blobs)
    fresh.folder.rename(staged.folder)
    sync_folder(staged.folder.parent)
    replace_text(staged.folder / _RECORD, as_json(pending))


def abandon_restore(configuration: Configuration) -> None:
    """Forget a restore that can't be completed."""
    Staging(configuration, checked=True).remove()


def finish_restore(configuration: Configuration) -> bool:
    """Put what a restore has unpacked in its place; return whether there was any.

    Every step can be repeated. The caller holds the locks of a server.
    """
    pending = pending_restore(configuration)
    if pending is None:
        for checked in (False, True):
            Staging(configuration, checked=checked).remove()
        return False
    with _refusing(pending):
        staged = Staging(configuration, checked=True)
        # First, because a database server may refuse it.
        with migration_lock():
            _put_database(configuration, staged.folder / DATABASE)
        put_blobs(configuration, staged.blobs)
        key = key_file(configuration.data_folder)
        _put(staged.folder / KEY, key)
        for earlier in sorted((staged.folder / EARLIER_KEYS).glob("*")):
            _put(earlier, key.with_name(earlier.name))
        _put_licence(configuration, staged.folder / LICENCE)
        folder = backups_folder(configuration.data_folder)
        _put(staged.folder / SETTINGS, folder / _SETTINGS_COPY)
        # It would delete the restored database.
        finish_reset(folder)
        forget_empty_start(configuration.data_folder)
        forget_checks(configuration.data_folder)
        # Rather twice than never, if the process dies here.
        note_restore(name=Path(pending.archive).name, taken=pending.taken)
        staged.remove()
    logger.warning("The archive %s is restored.", pending.archive)
    return True


def put_blobs(configuration: Configuration, staged: Path) -> None:
    """Move unpacked blobs to their place, one after the other; what has been moved
    isn't there the next time."""
    store = store_of(configuration)
    for path in sorted(staged.rglob("*")):
        if path.is_file():
            store.take(path.relative_to(staged).as_posix(), path)


def _put(staged: Path, target: Path) -> None:
    """Copy a small file, if there is one, so that the step can be repeated."""
    if not staged.is_file():
        return
    target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    unfinished = target.with_name(f".{target.name}.tmp")
    shutil.copyfile(staged, unfinished)
    unfinished.chmod(0o600)
    sync_file(unfinished)
    unfinished.replace(target)
    sync_folder(target.parent)


def _put_licence(configuration: Configuration, staged: Path) -> None:
    """Put the licence where it is expected, unless there is one."""
    path = configuration.settings.text("Licensing:LicenseFilePath")
    target = configuration.data_folder / (path or "licence.txt")
    if not target.exists():
        _put(staged, target)


def _put_database(configuration: Configuration, staged: Path) -> None:
    database = sqlite_file(configuration)
    if database is not None:
        folders.prepare(database.parent)
        replace_database(database, staged)
        return
    tools = postgres_tools(configuration)
    empty(tools)
    tools.restore(staged, has_stopped=lambda: False)


@contextmanager
def _refusing(pending: PendingRestore) -> Iterator[None]:
    try:
        yield
    except (OSError, sqlite3.Error, DatabaseFileError) as error:
        raise StartRefusedError(
            f"The restore of {pending.archive} can't be completed: {error}. Correct "
            "that, and start the server or run the command restore again."
        ) from error
