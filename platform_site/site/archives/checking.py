"""The check of an archive by restoring it: its database into a temporary file or
database, every file by its checksum. For restore drills and `verify_backup`."""

from __future__ import annotations

import shutil
import sqlite3
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Any, Final
from uuid import UUID

from psycopg import Error as PostgresError, sql

from platform_site.settings.configuration import Configuration
from platform_site.settings.connections import Provider
from platform_site.site.archives import manifest as names
from platform_site.site.archives.database_content import (
    AnyConnection,
    can_somebody_sign_in,
    counts_of,
    digest_of,
    files_of,
    sqlite_problems,
)
from platform_site.site.archives.encryption import is_encrypted
from platform_site.site.archives.errors import ArchiveError, Stopped
from platform_site.site.archives.keys import Keys
from platform_site.site.archives.manifest import Manifest
from platform_site.site.archives.reading import read_archive
from platform_site.site.archives.restoring import check_version
from platform_site.site.archives.writing import HashingStream
from platform_site.site.host.archive_folder import BackupResult, now_text, state_of
from platform_site.site.host.postgres_tools import (
    PostgresTools,
    ToolFailed,
    postgres_tools,
)

WORK: Final = ".platform-drill-"
_CHUNK: Final = 1 << 20
# Enough to see how it is encrypted.
_BEGIN: Final = 64
_PASSPHRASE: Final = b"\n-> scrypt "
_MOST_PROBLEMS: Final = 20


class _Check:
    """The check of one archive while it is read; it needs room for its database."""

    def __init__(
        self,
        configuration: Configuration,
        work: Path,
        has_stopped: Callable[[], bool],
    ) -> None:
        self._configuration = configuration
        self._work = work
        self._has_stopped = has_stopped
        self.connection: AnyConnection | None = None
        self.problems: list[str] = []
        self.unchecked: list[str] = []
        self.blobs = 0
        self._opened: Any = None

    def visit(self, name: str, stream: HashingStream) -> None:
        """Restore the database; compare a file with what the database says of it."""
        if name in (names.SQLITE, names.POSTGRES):
            path = self._work / "database"
            with path.open("xb") as file:
                shutil.copyfileobj(stream, file, _CHUNK)
            self._opened = self._restored(name, path)
            self.connection = self._opened.__enter__()
        elif name.startswith(names.BLOBS) and names.PACKAGES not in name:
            while stream.read(_CHUNK):
                pass
            self._compare(UUID(hex=name.rpartition("/")[2]), stream.digest.hexdigest())

    def judge(self, manifest: Manifest) -> None:
        """Compare the restored database with the manifest."""
        try:
            check_version(manifest)
        except ArchiveError as refusal:
            self.problem(str(refusal))
        if manifest.missing:
            self.problem(
                f"{manifest.missing} uploaded files had no bytes when the archive was "
                f"made, first {manifest.missing_files[0]}."
            )
        if self.blobs != manifest.blobs:
            self.problem(f"It has {self.blobs} files instead of {manifest.blobs}.")
        if self.connection is not None:
            for found in _problems_of(self.connection, manifest):
                self.problem(found)

    def problem(self, text: str) -> None:
        """Add what is wrong, up to a number."""
        if len(self.problems) < _MOST_PROBLEMS:
            self.problems.append(text)

    def close(self) -> None:
        """Remove the restored database."""
        opened, self._opened = self._opened, None
        if opened is not None:
            opened.__exit__(None, None, None)

    def _compare(self, key: UUID, digest: str) -> None:
        self.blobs += 1
        if self.connection is None:
            return
        expected = digest_of(self.connection, key)
        if expected != digest:
            self.problem(f"The file {key} differs from what was uploaded.")

    @contextmanager
    def _restored(self, name: str, path: Path) -> Iterator[AnyConnection | None]:
        if name == names.SQLITE:
            with closing(sqlite3.connect(path, check_same_thread=False)) as connection:
                yield connection
            return
        with _temporary_database(
            self._configuration, path, self.unchecked, self._has_stopped
        ) as found:
            yield found


def _problems_of(connection: AnyConnection, manifest: Manifest) -> Iterator[str]:
    """Yield what is wrong with a restored database."""
    if isinstance(connection, sqlite3.Connection):
        yield from sqlite_problems(connection)
    counts = counts_of(connection)
    for table in sorted(counts.keys() | manifest.counts.keys()):
        found, rows = counts.get(table), manifest.counts.get(table)
        if found != rows:
            yield f"{table} has {found} rows instead of {rows}."
    if not can_somebody_sign_in(connection):
        yield "No active account has a password to sign in with."
    listed = sum(1 for _ in files_of(connection))
    if listed != manifest.blobs + manifest.missing:
        yield f"Its database lists {listed} files instead of {manifest.blobs}."


def check_archive(
    configuration: Configuration,
    file: Path,
    keys: Keys,
    has_stopped: Callable[[], bool] = lambda: False,
) -> BackupResult:
    """Restore an archive into a temporary place, and return what was found.

    Raise ArchiveError only when asked to stop.
    """
    begun, folder = time.monotonic(), file.absolute().parent
    with tempfile.TemporaryDirectory(prefix=WORK, dir=_writable(folder)) as work:
        check = _Check(configuration, Path(work), has_stopped)
        manifest: Manifest | None = None
        try:
            if missing := _missing_key(file, keys):
                check.unchecked.append(_only_bytes(file, check, missing))
            else:
                manifest = read_archive(file, keys, check.visit, has_stopped)
                check.judge(manifest)
        except Stopped:
            raise
        except ArchiveError as refusal:
            check.problem(str(refusal))
        except (OSError, sqlite3.Error, PostgresError, ToolFailed) as error:
            check.close()
            check.problem(_damage(file, keys, has_stopped) or _why_not(error))
        finally:
            check.close()
    return BackupResult(
        at=now_text(),
        archive=file.name,
        problems=check.problems,
        unchecked=check.unchecked,
        seconds=round(time.monotonic() - begun, 1),
        rows=sum(manifest.counts.values()) if manifest else 0,
        blobs=check.blobs,
    )


def _damage(file: Path, keys: Keys, has_stopped: Callable[[], bool]) -> str:
    """Return how the archive is damaged: its database was opened before that was
    known."""
    try:
        read_archive(file, keys, has_stopped=has_stopped)
    except Stopped:
        raise
    except ArchiveError as refusal:
        return str(refusal)
    return ""


def _why_not(error: Exception) -> str:
    reason = getattr(error, "strerror", None) or " ".join(str(error).split())
    return f"It can't be restored: {reason.rstrip('.')}."


def _writable(folder: Path) -> Path | None:
    """Return the folder if the archive's own disk can be used, None for the system's."""
    try:
        with tempfile.TemporaryFile(dir=folder):
            return folder
    except OSError:
        return None


def _missing_key(file: Path, keys: Keys) -> str:
    """Return the setting that would open an archive, empty if there is one."""
    with file.open("rb") as stream:
        begin = stream.read(_BEGIN)
    if keys.can_open or not is_encrypted(begin):
        return ""
    return "Backup:Passphrase" if _PASSPHRASE in begin else "Backup:Identity"


def _only_bytes(file: Path, check: _Check, missing: str) -> str:
    """Compare the file with its record; return what can't be checked."""
    expected = state_of(file).sha256
    done = "only the bytes of the file were compared"
    if not expected:
        done = "nothing was compared, because its record is missing as well"
    else:
        digest = sha256()
        with file.open("rb") as stream:
            while block := stream.read(_CHUNK):
                digest.update(block)
        if digest.hexdigest() != expected:
            check.problem("The file differs from what was written.")
    return (
        f"It is encrypted, and {missing} isn't set, so it couldn't be opened: {done}. Set "
        f"{missing} to have it restored, or check it with verify_backup where the key is."
    )


@contextmanager
def _temporary_database(
    configuration: Configuration,
    path: Path,
    unchecked: list[str],
    has_stopped: Callable[[], bool],
) -> Iterator[AnyConnection | None]:
    """Restore a dump into a database of its own, if the role may create one."""
    if configuration.connection.provider is not Provider.POSTGRESQL:
        unchecked.append(
            "Its database is of PostgreSQL, and this installation has no such server: "
            "only the checksums were compared. Check it where there is one."
        )
        yield None
        return
    tools = postgres_tools(configuration)
    if not _may_create(tools):
        tools.list_content(path)
        unchecked.append(
            "The role of the database may not create databases, so the dump was listed "
            "and not restored. Give it CREATEDB to have it restored."
        )
        yield None
        return
    name = f"platform_drill_{sha256(tools.conninfo.encode()).hexdigest()[:12]}"
    _drop(tools, name)
    with tools.connect(autocommit=True) as server:
        create = "CREATE DATABASE {} TEMPLATE template0"
        server.execute(sql.SQL(create).format(sql.Identifier(name)))
    try:
        tools.restore(path, database=name, has_stopped=has_stopped)
        with tools.connect(name) as connection:
            yield connection
    finally:
        _drop(tools, name)


def _may_create(tools: PostgresTools) -> bool:
    with tools.connect() as connection:
        row = connection.execute(
            "SELECT rolsuper OR rolcreatedb FROM pg_roles WHERE rolname = current_user"
        ).fetchone()
    return bool(row and row[0])


def _drop(tools: PostgresTools, name: str) -> None:
    """Remove the database of a drill, also one that a killed process left."""
    with tools.connect(autocommit=True) as server:
        drop = "DROP DATABASE IF EXISTS {} WITH (FORCE)"
        server.execute(sql.SQL(drop).format(sql.Identifier(name)))
