"""Let one scheduler keep the jobs of a database, however many processes serve it; the
lock ends with the process that holds it, and another then takes over."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from django.conf import settings
from django.db import DEFAULT_DB_ALIAS, connections
from filelock import FileLock, Timeout

if TYPE_CHECKING:
    from django.db.backends.base.base import BaseDatabaseWrapper

FILE: Final = ("db", ".scheduler.lock")
# The first half of the advisory lock's key; any fixed number nobody else uses.
_CLASS: Final = 0x4A4F4253


def scheduler_lock() -> FileHold | AdvisoryHold:
    """Return the lock that fits the database, not taken yet."""
    if connections[DEFAULT_DB_ALIAS].vendor == "postgresql":
        return AdvisoryHold(_CLASS)
    return FileHold()


class FileHold:
    """Hold a file of the data folder."""

    def __init__(self) -> None:
        path = settings.PLATFORM_DATA_FOLDER.joinpath(*FILE)
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        # Taken in the scheduler's thread, and looked at from others.
        self._lock = FileLock(path, blocking=False, mode=0o600, thread_local=False)

    def take(self) -> bool:
        """Take or keep the lock; False while another process has it."""
        if not self._lock.is_locked:
            try:
                self._lock.acquire()
            except Timeout:
                return False
        return True

    def release(self) -> None:
        """Let others take it."""
        self._lock.release(force=True)


class AdvisoryHold:
    """Hold an advisory lock of PostgreSQL, on a connection of its own.

    Shared, others may hold it too that share it.
    """

    def __init__(self, name: int, *, shared: bool = False) -> None:
        self._name = name
        self._try = f"pg_try_advisory_lock{'_shared' if shared else ''}"
        self._connection: BaseDatabaseWrapper | None = None

    def take(self) -> bool:
        """Take or keep the lock; False while another process has it.

        A lost connection has lost the lock: the error is raised, and the next call
        begins anew.
        """
        try:
            if self._connection is not None:
                self._ask("SELECT true")
                return True
            self._connection = connections.create_connection(DEFAULT_DB_ALIAS)
            # Taken in one thread and watched in another, by one at a time.
            self._connection.inc_thread_sharing()
            # The server shall notice within a minute that the holder's machine died.
            self._ask("SELECT set_config('tcp_keepalives_idle', '30', false) <> ''")
            got = self._ask(f"SELECT {self._try}(%s, 1)", self._name)
        except Exception:
            self.release()
            raise
        if not got:
            self.release()
        return got

    def release(self) -> None:
        """Let others take it."""
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()

    def _ask(self, statement: str, *parameters: Any) -> bool:
        assert self._connection is not None  # noqa: S101 - both callers see to it
        with self._connection.cursor() as cursor:
            cursor.execute(statement, parameters)
            (answer,) = cursor.fetchone()
        return bool(answer)
