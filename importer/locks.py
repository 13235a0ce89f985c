"""Locks between processes: an advisory lock on PostgreSQL, a locked file elsewhere.

They end with the process that holds them, however it ends, unlike a row in a table.
"""

from __future__ import annotations

import json
import threading
from abc import ABC, abstractmethod
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Any, ClassVar, Self

import msgspec
from django.db import DEFAULT_DB_ALIAS, Error, connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.utils import timezone
from filelock import FileLock, Timeout

_LONGEST_NAME = 63
# Lets the server notice within a minute that the holder's machine died.
_KEEPALIVES = (
    "SELECT set_config('tcp_keepalives_idle', '20', false),"
    " set_config('tcp_keepalives_interval', '5', false),"
    " set_config('tcp_keepalives_count', '3', false)"
)
_HELD = (
    "SELECT l.pid, l.objid::bigint FROM pg_locks l"
    " WHERE l.locktype = 'advisory' AND l.granted AND l.classid = %s"
    " AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())"
)
_HOLDER = (
    "SELECT a.application_name, a.backend_start, a.pid,"
    " coalesce(host(a.client_addr), 'this machine')"
    " FROM pg_locks l JOIN pg_stat_activity a USING (pid)"
    " WHERE l.locktype = 'advisory' AND l.granted AND l.classid = %s AND l.objid = 1"
    " AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())"
)


def database_lock(
    key: int, path: Path | None = None, *, shared: bool = False, number: int = 1
) -> ProcessLock:
    """Return the lock for the database, not taken yet.

    On PostgreSQL it uses the key, which must be unique, and can be a shared lock, or one
    of several by their numbers; elsewhere it uses the file, or memory if there is no
    file.
    """
    if connections[DEFAULT_DB_ALIAS].vendor == "postgresql":
        return AdvisoryLock(key, shared=shared, number=number)
    return LockedFile(path) if path else MemoryLock()


def held_numbers(key: int) -> set[int]:
    """Return the numbers with which processes hold the lock of a key, on PostgreSQL."""
    with connections[DEFAULT_DB_ALIAS].cursor() as cursor:
        cursor.execute(_HELD, [key])
        return {number for _pid, number in cursor.fetchall()}


def end_holders(key: int) -> None:
    """End the database sessions that hold the lock of a key, on PostgreSQL: those of a
    process that no longer responds."""
    with connections[DEFAULT_DB_ALIAS].cursor() as cursor:
        cursor.execute(_HELD, [key])
        for pid, _number in cursor.fetchall():
            cursor.execute("SELECT pg_terminate_backend(%s)", [pid])


class LockHolder(msgspec.Struct, frozen=True):
    """The holder of a lock: its name, since when, and where."""

    name: str
    since: datetime
    place: str = ""


class ProcessLock(ABC):
    """A lock held by one process at a time; as a context manager it releases at the
    end."""

    @abstractmethod
    def take(self, name: str = "") -> bool:
        """Take or keep the lock; return False while another holds it.

        Any error shows that the lock can't be used or was lost.
        """

    @abstractmethod
    def release(self) -> None:
        """Release the lock if it is held."""

    def holder(self) -> LockHolder | None:
        """Return the holder, None if unknown."""
        return None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exception: object) -> None:
        self.release()


class MemoryLock(ProcessLock):
    """The lock of an in-memory database, valid in this process only."""

    _lock: ClassVar = threading.Lock()
    _held = False

    def take(self, name: str = "") -> bool:
        """Take or keep the lock; return False while another thread holds it."""
        self._held = self._held or self._lock.acquire(blocking=False)
        return self._held

    def release(self) -> None:
        """Release the lock."""
        if self._held:
            self._held = False
            self._lock.release()


class LockedFile(ProcessLock):
    """A locked file that contains the name of its holder."""

    def __init__(self, path: Path) -> None:
        self._path = path
        # Taken in one thread and checked from others.
        self._lock = FileLock(path, blocking=False, mode=0o600, thread_local=False)

    def take(self, name: str = "") -> bool:
        """Take or keep the lock; raise OSError if the file can't be used."""
        if self._lock.is_locked:
            return True
        self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        try:
            self._lock.acquire()
        except Timeout:
            return False
        since = timezone.now().isoformat(timespec="seconds")
        self._note({"name": name, "since": since})
        return True

    def release(self) -> None:
        """Release the lock."""
        if self._lock.is_locked:
            self._note({})
            self._lock.release(force=True)

    def holder(self) -> LockHolder | None:
        """Return the holder named in the file."""
        try:
            noted: dict[str, Any] = json.loads(self._path.read_text(encoding="utf-8"))
            return LockHolder(noted["name"], datetime.fromisoformat(noted["since"]))
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def _note(self, holder: dict[str, str]) -> None:
        with suppress(OSError):  # only used in the message of a refusal
            self._path.write_text(json.dumps(holder), encoding="utf-8")


class AdvisoryLock(ProcessLock):
    """An advisory lock of PostgreSQL, on a connection of its own."""

    def __init__(self, key: int, *, shared: bool = False, number: int = 1) -> None:
        self._key = key
        self._number = number
        self._try = f"pg_try_advisory_lock{'_shared' if shared else ''}"
        self._connection: BaseDatabaseWrapper | None = None

    def take(self, name: str = "") -> bool:
        """Take or keep the lock; return False while another holds it.

        A lost connection means a lost lock: the error is raised, and the next call
        starts again.
        """
        try:
            if self._connection is not None:
                self._row("SELECT true")
                return True
            self._connection = connections.create_connection(DEFAULT_DB_ALIAS)
            # Taken in one thread and checked in another, by one at a time.
            self._connection.inc_thread_sharing()
            self._row(_KEEPALIVES)
            (is_ours,) = self._row(
                f"SELECT {self._try}(%s, %s)", self._key, self._number
            )
            if is_ours and name:
                cut = name.encode()[:_LONGEST_NAME].decode(errors="ignore")
                self._row("SELECT set_config('application_name', %s, false)", cut)
        except Exception:
            self.release()
            raise
        if not is_ours:
            self.release()
        return bool(is_ours)

    def release(self) -> None:
        """Release the lock."""
        connection, self._connection = self._connection, None
        if connection is None:
            return
        # The server would notice a closed connection slightly later.
        with suppress(Error), connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_unlock_all()")
        connection.close()

    def holder(self) -> LockHolder | None:
        """Return the holder of the lock according to the database."""
        with suppress(Error), connections[DEFAULT_DB_ALIAS].cursor() as cursor:
            cursor.execute(_HOLDER, [self._key])
            if row := cursor.fetchone():
                name, since, pid, address = row
                return LockHolder(name, since, f"{address}, process {pid}")
        return None

    def _row(self, statement: str, *parameters: Any) -> Any:
        assert self._connection is not None  # noqa: S101 - both callers see to it
        with self._connection.cursor() as cursor:
            cursor.execute(statement, parameters)
            return cursor.fetchone()
