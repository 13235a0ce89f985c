"""The lock that prevents a second server on the same PostgreSQL database, whatever its
data folder; it ends with its connection. Intended servers share it. Starts always take
turns."""

from __future__ import annotations

import logging
import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Final

from importer.services import ProcessLock, database_lock
from platform_site.settings.configuration import NODES, Configuration
from platform_site.settings.connections import Provider
from platform_site.settings.errors import StartRefusedError
from platform_site.site.host.before_migrations import newer_migrations

# The keys of the locks.
NAME: Final = 0x53455256
_TURN: Final = 0x54555243
CHECK_EVERY_SECONDS: Final = 5.0
# The database may notice the death of a killed server after the next start begins.
_RETRY_FOR_SECONDS: Final = 3.0
_PAUSE_SECONDS: Final = 0.1
# A start may take minutes: it migrates, and may load demo data.
_TURN_PAUSE_SECONDS: Final = 0.5
_SECONDS: Final = "%Y-%m-%d %H:%M:%S %Z"
logger = logging.getLogger("platform.host")


class _Held:
    """Whether this process holds the lock of its database."""

    value = False


def is_lock_held() -> bool:
    """Return whether this server holds the lock of its database; the lock of a SQLite
    installation can't be lost."""
    return _Held.value


@contextmanager
def turn_to_start(configuration: Configuration) -> Iterator[None]:
    """Wait until no other start works on a PostgreSQL database, and make others wait.

    Otherwise the lock of the server would refuse one of two concurrent `startup`,
    though neither is going to serve, and servers that share a database would migrate it
    at once.
    """
    if configuration.connection.provider is not Provider.POSTGRESQL:
        yield
        return
    with database_lock(_TURN) as lock:
        if not lock.take():
            logger.info(
                "Another server is starting with this database; waiting until "
                "it has finished."
            )
            while not lock.take():
                time.sleep(_TURN_PAUSE_SECONDS)
        yield


@contextmanager
def only_server(configuration: Configuration) -> Iterator[list[ProcessLock]]:
    """Hold the lock of a PostgreSQL database; raise StartRefusedError if it is taken.

    If it is lost it is taken again, and so are those that the caller adds to the list.
    If another server was faster, this one ends, since the other may have another
    version. One of several ends if another has migrated the database for its version.
    """
    if configuration.connection.provider is not Provider.POSTGRESQL:
        _Held.value = True
        yield []
        return
    lock = database_lock(NAME, shared=configuration.has_nodes)
    if not _taken(lock.take):
        holder = lock.holder()
        details = holder and f" (from {holder.place}, since {holder.since:{_SECONDS}})"
        raise StartRefusedError(
            f"Another Platform server uses the database{details or ''}. Stop it first. "
            f"{NODES}=many on all of them lets several share it; the page on several "
            "nodes says what else that needs."
        )
    locks = [lock]
    stop = threading.Event()
    watch = threading.Thread(
        target=_keep,
        args=(locks, stop),
        kwargs={"has_nodes": configuration.has_nodes},
        name="server lock",
        daemon=True,
    )
    _Held.value = True
    watch.start()
    try:
        yield locks
    finally:
        _Held.value = False
        stop.set()
        watch.join(CHECK_EVERY_SECONDS)
        lock.release()


def _taken(take: Callable[[], bool]) -> bool:
    limit = time.monotonic() + _RETRY_FOR_SECONDS
    while not take():
        if time.monotonic() > limit:
            return False
        time.sleep(_PAUSE_SECONDS)
    return True


def _keep(
    locks: Sequence[ProcessLock], stop: threading.Event, *, has_nodes: bool
) -> None:
    is_lost = False
    while not stop.wait(CHECK_EVERY_SECONDS):
        try:
            is_ours = all(lock.take() for lock in locks)
            if has_nodes and (unknown := newer_migrations()):
                logger.error(
                    "A node of another version has migrated the database (%s). This "
                    "node ends; start the new version here.",
                    unknown,
                )
                signal.raise_signal(signal.SIGTERM)
                return
        except Exception as error:  # noqa: BLE001 - whatever fails, the lock is lost
            if not is_lost:
                logger.warning(
                    "The connection that locks the database broke: %s", error
                )
            is_lost = True
            _Held.value = False
            continue
        if not is_ours:
            logger.error(
                "Another server took the database while this one had lost its "
                "connection; this one ends."
            )
            _Held.value = False
            signal.raise_signal(signal.SIGTERM)
            return
        _Held.value = True
        if is_lost:
            logger.warning("The server holds the lock of the database again.")
        is_lost = False
