"""The making of an archive: the database first, then the files it refers to, the key, the
licence and the settings; read again before it gets its name."""

from __future__ import annotations

import logging
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Final

from django.db.utils import DatabaseError
from psycopg import Error as PostgresError

from importer.services import ProcessLock, database_lock
from platform_site import __version__
from platform_site.database.failures import reason_of
from platform_site.files import blobs
from platform_site.settings import data_folder as folders
from platform_site.settings.configuration import Configuration
from platform_site.settings.durable import sync_folder
from platform_site.site.archives.backup_settings import keys_of
from platform_site.site.archives.database_copy import (
    copied_database,
    provider_of,
)
from platform_site.site.archives.errors import ArchiveError, Busy
from platform_site.site.archives.keys import Keys
from platform_site.site.archives.manifest import Manifest
from platform_site.site.archives.members import add_blobs, add_rest, manifest_for
from platform_site.site.archives.reading import read_archive
from platform_site.site.archives.writing import ArchiveWriter, HashingStream
from platform_site.site.host.archive_folder import (
    ENCRYPTED,
    UNFINISHED,
    ArchiveState,
    archive_name,
    now_text,
    write_state,
)
from platform_site.site.host.backups import archives_folder
from platform_site.site.host.empty_start import sqlite_file
from platform_site.site.host.postgres_tools import postgres_tools
from platform_site.site.host.sqlite_file import DatabaseFileError, sidecars

_WORK: Final = ".platform-archive-"
_LOCK_KEY: Final = 0x41524348
_LOCK_FILE: Final = ("db", ".archive.lock")
_ROOM_BYTES: Final = 16 << 20
_CHUNK: Final = 1 << 20
logger = logging.getLogger("platform.backups")


def archive_lock(configuration: Configuration) -> ProcessLock:
    """Return the lock that lets one process at a time make an archive."""
    return database_lock(_LOCK_KEY, configuration.data_folder.joinpath(*_LOCK_FILE))


def make_archive(
    configuration: Configuration,
    file: Path | None = None,
    has_stopped: Callable[[], bool] = lambda: False,
) -> Path:
    """Make an archive for somebody who asks for it, in the folder of archives or as a
    new file; return its path.

    Raise ArchiveError with a sentence; then there is no file with that name.
    """
    with archive_lock(configuration) as lock:
        if not lock.take("a backup"):
            raise Busy
        return make_archive_alone(configuration, file, has_stopped, by_hand=True)


def make_archive_alone(
    configuration: Configuration,
    file: Path | None = None,
    has_stopped: Callable[[], bool] = lambda: False,
    *,
    by_hand: bool = False,
) -> Path:
    """Make an archive for a caller who holds the lock."""
    provider_of(configuration)
    keys, moment = keys_of(configuration), datetime.now(UTC)
    folder = archives_folder(configuration)
    name = archive_name(moment, encrypted=keys.encrypt, by_hand=by_hand)
    target = folder / name
    if file is not None:
        target = file.absolute()
        if target.exists():
            raise ArchiveError(f"{target} exists already; name a new file.")
        _refuse_wrong_name(target, keys)
    with _as_sentences(target):
        state = _made(configuration, keys, target, has_stopped)
        if file is None:
            write_state(target, state)
    logger.info("Archive written and %s: %s", keys.check_of_own, target)
    return target


def _refuse_wrong_name(target: Path, keys: Keys) -> None:
    """Raise ArchiveError if a name says something else of the encryption than is true.

    Another name than the one asked for would be worse: a script that copies the file
    wouldn't find it.
    """
    is_named_so = target.suffix.casefold() == ENCRYPTED
    if keys.encrypt and not is_named_so:
        raise ArchiveError(
            f"Archives are encrypted here, so the name must end in {ENCRYPTED}: "
            f"{target.name}{ENCRYPTED}."
        )
    if is_named_so and not keys.encrypt:
        raise ArchiveError(
            f"The archive {target.name} wouldn't be encrypted. Set Backup:Passphrase or "
            f"Backup:Recipients, or choose a name without {ENCRYPTED}."
        )


def _made(
    configuration: Configuration,
    keys: Keys,
    target: Path,
    has_stopped: Callable[[], bool],
) -> ArchiveState:
    """Make an archive beside its name, and give it the name when it is complete."""
    folder = target.parent
    folders.prepare(folder)
    _remove_strays(folder)
    _require_room(configuration, folder)
    unfinished = target.with_name(f".{target.name}.tmp")
    try:
        unfinished.unlink(missing_ok=True)
        with tempfile.TemporaryDirectory(prefix=_WORK, dir=folder) as work:
            state = _written(configuration, keys, unfinished, Path(work), has_stopped)
        state.verified_at, state.only_bytes = now_text(), not keys.can_read_own
        unfinished.replace(target)
        sync_folder(folder)
    finally:
        unfinished.unlink(missing_ok=True)
    return state


def _written(
    configuration: Configuration,
    keys: Keys,
    path: Path,
    work: Path,
    has_stopped: Callable[[], bool],
) -> ArchiveState:
    """Write an archive and read it again; return what is known of it."""
    with (
        copied_database(configuration, work, has_stopped) as copy,
        ArchiveWriter(path, keys, has_stopped) as writer,
    ):
        writer.add_file(copy.member, copy.path)
        files = add_blobs(writer, copy)
        add_rest(configuration, writer)
        written = writer.finish(
            partial(manifest_for, configuration, copy, files, writer)
        )
    digest = writer.written.digest.hexdigest()
    _read_again(path, keys, written, digest, has_stopped)
    return ArchiveState(size=path.stat().st_size, sha256=digest, version=__version__)


def _read_again(
    path: Path,
    keys: Keys,
    written: Manifest,
    digest: str,
    has_stopped: Callable[[], bool],
) -> None:
    if keys.can_read_own:
        if read_archive(path, keys, has_stopped=has_stopped) != written:
            raise ArchiveError("The archive differs from what was written to it.")
        return
    # Only the holder of the private key can open it.
    with path.open("rb") as file:
        stream = HashingStream(file, has_stopped)
        while stream.read(_CHUNK):
            pass
    if stream.digest.hexdigest() != digest:
        raise ArchiveError("The archive differs from what was written to it.")


def _remove_strays(folder: Path) -> None:
    """Remove what a killed process left; the lock says that nobody uses it."""
    for stray in folder.glob(UNFINISHED):
        stray.unlink(missing_ok=True)
    for stray in folder.glob(f"{_WORK}*"):
        shutil.rmtree(stray, ignore_errors=True)


def _require_room(configuration: Configuration, folder: Path) -> None:
    """Raise ArchiveError if there is no room for a copy of the database, and for the
    archive if nothing of it can be compressed."""
    needed = 2 * _database_size(configuration) + _ROOM_BYTES
    needed += sum(blob.size for blob in blobs.contents().blobs)
    free = shutil.disk_usage(folder).free
    if free < needed:
        raise ArchiveError(
            f"An archive may need {needed >> 20} MiB in {folder}, but only "
            f"{free >> 20} MiB are free. Free some space, or set Backup:Folder to a "
            "folder on another disk."
        )


def _database_size(configuration: Configuration) -> int:
    database = sqlite_file(configuration)
    if database is None:
        with postgres_tools(configuration).connect() as connection:
            query = "SELECT pg_database_size(current_database())"
            row = connection.execute(query).fetchone()
            return int(row[0]) if row else 0
    every = (database, *sidecars(database))
    return sum(path.stat().st_size for path in every if path.exists())


@contextmanager
def _as_sentences(target: Path) -> Iterator[None]:
    """Convert what may fail on the way into sentences."""
    try:
        yield
    except (OSError, DatabaseError) as error:
        raise ArchiveError(
            f"The archive {target} could not be made: {reason_of(error)}. Nothing is "
            "left of it."
        ) from error
    except DatabaseFileError as error:
        raise ArchiveError(str(error)) from error
    except PostgresError as error:
        reason = " ".join(str(error).split()).rstrip(".")
        raise ArchiveError(f"The database could not be copied: {reason}.") from error
