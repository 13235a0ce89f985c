"""The restore of an archive: it is unpacked beside the installation and checked as a
whole; then the installation is saved, and the unpacked files take its place."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from django.apps import apps
from django.db.utils import DatabaseError
from psycopg import Error as PostgresError

from importer.services import (
    ImportInProgress,
    LockUnusable,
    database_lock,
    import_lock,
    is_out_of_space,
)
from platform_site import __version__
from platform_site.settings import data_folder as folders
from platform_site.settings.configuration import Configuration
from platform_site.settings.connections import Provider
from platform_site.settings.durable import sync_file
from platform_site.settings.errors import StartRefusedError
from platform_site.settings.signing_key import key_file
from platform_site.site.archives import manifest as names
from platform_site.site.archives.database_content import counts_of
from platform_site.site.archives.database_copy import provider_of
from platform_site.site.archives.errors import ArchiveError, DamagedArchive
from platform_site.site.archives.keys import Keys
from platform_site.site.archives.manifest import Manifest
from platform_site.site.archives.reading import read_archive
from platform_site.site.archives.writing import HashingStream
from platform_site.site.host import pending_restore as pending
from platform_site.site.host.backups import (
    backups_folder,
    copy_name,
    save_copy,
    save_or_move_aside,
)
from platform_site.site.host.before_migrations import unknown_among
from platform_site.site.host.empty_start import sqlite_file
from platform_site.site.host.instance_lock import only_instance
from platform_site.site.host.migration_history import written
from platform_site.site.host.pending_restore import PendingRestore, Staging
from platform_site.site.host.postgres_tools import (
    ToolFailed,
    empty,
    is_empty,
    postgres_tools,
)
from platform_site.site.host.server_lock import NAME
from platform_site.site.host.sqlite_file import DatabaseFileError, check_database

_OCCASION: Final = "before-restore"
_KEY_COPY: Final = ".key"
_PLACES: Final = {
    names.SQLITE: pending.DATABASE,
    names.POSTGRES: pending.DATABASE,
    names.KEY: pending.KEY,
    names.LICENCE: pending.LICENCE,
    names.SETTINGS: pending.SETTINGS,
}


@dataclass(frozen=True, slots=True)
class RestoredArchive:
    """What was restored, where the installation as it was is, and what is left to
    do."""

    manifest: Manifest
    saved: list[Path]
    missing_apps: list[str] = field(default_factory=list)

    @property
    def has_other_key(self) -> bool:
        """Return whether the signing key of the archive replaced another one."""
        return any(path.suffix == _KEY_COPY for path in self.saved)


def restore_archive(
    configuration: Configuration, file: Path, keys: Keys, *, replace: bool
) -> RestoredArchive:
    """Put the content of an archive in the place of the installation.

    Raise ArchiveError with a sentence; unless it says otherwise, nothing was changed.
    """
    provider_of(configuration)
    with _as_sentences(), ExitStack() as held:
        held.enter_context(only_instance(configuration.data_folder))
        _refuse_while_served(configuration, held)
        held.enter_context(import_lock("an operator", "a restore"))
        _refuse_content(configuration, replace=replace)
        staging = Staging(configuration, checked=False)
        try:
            staging.prepare()
            manifest = read_archive(file, keys, lambda *one: _unpack(staging, *one))
            _check(configuration, staging, manifest)
            if configuration.blobs_bucket is not None:
                # Before anything changes, because a bucket may fail. A blob of the
                # archive is new there, or the one that has its name.
                pending.put_blobs(configuration, staging.blobs)
            saved = _save_present(configuration, staging)
            decided = PendingRestore(archive=str(file), taken=manifest.taken)
            pending.decide_restore(configuration, decided)
        finally:
            staging.remove()
        _finish(configuration, saved)
    installed = {config.label for config in apps.get_app_configs()}
    missing = [label for label in manifest.apps if label not in installed]
    return RestoredArchive(manifest, saved, missing)


def kept_keys(configuration: Configuration) -> list[Path]:
    """Return the copies of signing keys that restores replaced."""
    folder = backups_folder(configuration.data_folder)
    return sorted(folder.glob(f"platform-*-{_OCCASION}{_KEY_COPY}"))


def check_version(manifest: Manifest) -> None:
    """Raise ArchiveError for an archive of a newer version."""
    unknown = unknown_among(manifest.migrations, manifest.apps)
    if _numbers(manifest.version) > _numbers(__version__) or unknown:
        more = (
            f" It has migrations unknown here: {written(unknown)}." if unknown else ""
        )
        raise ArchiveError(
            f"The archive is from version {manifest.version}, and this is {__version__}."
            f"{more} Restore it with the version it is from, or a newer one."
        )


def _numbers(version: str) -> list[int]:
    return [int(part) if part.isdigit() else 0 for part in version.split(".")]


def _refuse_while_served(configuration: Configuration, held: ExitStack) -> None:
    """Raise ArchiveError while a server uses a PostgreSQL database, from anywhere."""
    if configuration.connection.provider is not Provider.POSTGRESQL:
        return
    lock = held.enter_context(database_lock(NAME))
    if not lock.take("a restore"):
        holder = lock.holder()
        place = f" (from {holder.place})" if holder else ""
        raise ArchiveError(
            f"A Platform server uses the database{place}. Stop it, and all others that "
            "share it, and run the command again."
        )


def _refuse_content(configuration: Configuration, *, replace: bool) -> None:
    """Raise ArchiveError for a PostgreSQL database with tables, unless it may go."""
    if configuration.connection.provider is not Provider.POSTGRESQL or replace:
        return
    tools = postgres_tools(configuration)
    if not is_empty(tools) and pending.pending_restore(configuration) is None:
        raise ArchiveError(
            f"The database {tools.database} isn't empty. With --replace it is dumped to "
            "backups/ and then replaced; or create an empty database and name it in "
            "ConnectionStrings:PostgreSql."
        )


def _unpack(staging: Staging, name: str, stream: HashingStream) -> None:
    """Write a member to its place beside the installation."""
    if name.startswith(names.BLOBS):
        path = staging.blobs / name.removeprefix(names.BLOBS)
    elif name.startswith(names.KEYS) and name != names.KEY:
        path = staging.folder / pending.EARLIER_KEYS / name.removeprefix(names.KEYS)
    else:
        path = staging.folder / _PLACES[name]
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with path.open("xb") as file:
        shutil.copyfileobj(stream, file, 1 << 20)
    path.chmod(0o600)
    sync_file(path)


def _check(configuration: Configuration, staging: Staging, manifest: Manifest) -> None:
    """Raise ArchiveError if the unpacked archive can't replace the installation."""
    provider = configuration.connection.provider
    if manifest.provider != provider.value:
        raise ArchiveError(
            f"The archive has a {manifest.provider} database, and Provider is "
            f"{provider.value}. Set Provider to {manifest.provider} and its connection "
            "string, and run the command again."
        )
    check_version(manifest)
    database = staging.folder / pending.DATABASE
    if not database.is_file():
        raise DamagedArchive("The archive is damaged: it has no database.")
    if provider is Provider.POSTGRESQL:
        postgres_tools(configuration).list_content(database)
        return
    check_database(database)
    with closing(sqlite3.connect(database)) as connection:
        if counts_of(connection) != manifest.counts:
            raise DamagedArchive(
                "The archive is damaged: its database has other rows than its manifest says."
            )


def _save_present(configuration: Configuration, staging: Staging) -> list[Path]:
    """Keep the database and the key as they are in `backups/`; return their paths."""
    folder = backups_folder(configuration.data_folder)
    folders.prepare(folder)
    saved = []
    database, key = sqlite_file(configuration), key_file(configuration.data_folder)
    name = copy_name(_OCCASION, datetime.now(UTC)).removesuffix(".db")
    if database is None:
        tools = postgres_tools(configuration)
        if not is_empty(tools):
            saved.append(folder / f"{name}.dump")
            tools.dump(saved[0], has_stopped=lambda: False)
            sync_file(saved[0])
    elif database.exists():
        there: Path = database
        saved.append(
            save_or_move_aside(
                there, folder, lambda: save_copy(there, folder, _OCCASION)
            )
        )
    restored = staging.folder / pending.KEY
    both = key.is_file() and restored.is_file()
    if both and key.read_bytes() != restored.read_bytes():
        saved.append(folder / f"{name}{_KEY_COPY}")
        shutil.copyfile(key, saved[-1])
        sync_file(saved[-1])
    return saved


def _finish(configuration: Configuration, saved: list[Path]) -> None:
    """Put the unpacked files in place; if PostgreSQL refuses them, go back."""
    try:
        pending.finish_restore(configuration)
    except ToolFailed as failure:
        dump = next((path for path in saved if path.suffix == ".dump"), None)
        pending.abandon_restore(configuration)
        if dump is None:
            raise ArchiveError(f"{failure} The database is empty, as before.") from None
        tools = postgres_tools(configuration)
        empty(tools)
        tools.restore(dump, has_stopped=lambda: False)
        raise ArchiveError(f"{failure} The database is as it was before.") from None


@contextmanager
def _as_sentences() -> Iterator[None]:
    try:
        yield
    except (ImportInProgress, LockUnusable, DatabaseFileError) as error:
        raise ArchiveError(str(error)) from error
    except (OSError, DatabaseError, sqlite3.Error, PostgresError) as error:
        if isinstance(error, StartRefusedError):
            raise
        reason = getattr(error, "strerror", None) or " ".join(str(error).split())
        if is_out_of_space(error):
            reason = "the disk is full"
        raise ArchiveError(f"The archive can't be restored: {reason}.") from error
