"""Keeps a second server off the same PostgreSQL database, whatever data folder it has, by
a lock that ends with its connection; where several are meant, they share it. Starts go one
after another in any case."""

from __future__ import annotations

import logging
import signal
import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from django.db import connection

from platform_site.host.refusal import StartRefusedError
from platform_site.scheduling.lock import AdvisoryHold
from platform_site.settings.connections import Provider

if TYPE_CHECKING:
    from collections.abc import Iterator

    from platform_site.settings.configuration import Configuration

SEVERAL: Final = "Platform:Database:SeveralNodes"
# The first halves of the locks' keys; any fixed numbers nobody else uses.
NAME: Final = 0x53455256
_TURN: Final = 0x54555243
LOOK_EVERY_SECONDS: Final = 5.0
# The database notices the death of a killed server a moment later than the next start.
_PATIENCE_SECONDS: Final = 3.0
_PAUSE_SECONDS: Final = 0.1
# A start may take minutes: it migrates, and may load demo data.
_TURN_PAUSE_SECONDS: Final = 0.5
_HOLDER: Final = (
    "SELECT a.pid, coalesce(host(a.client_addr), 'this machine'), a.backend_start"
    " FROM pg_locks l JOIN pg_stat_activity a USING (pid)"
    " WHERE l.locktype = 'advisory' AND l.granted AND l.classid = %s AND l.objid = 1"
    " AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())"
)
logger = logging.getLogger("platform.host")


@contextmanager
def turn_to_start(configuration: Configuration) -> Iterator[None]:
    """Wait until no other start works on a PostgreSQL database; others wait meanwhile.

    Without it the lock of the server would refuse one of two `startup` at once, though
    neither is going to serve, and servers that share a database would migrate it at once.
    """
    if configuration.connection.provider is not Provider.POSTGRESQL:
        yield
        return
    hold = AdvisoryHold(_TURN)
    if not hold.take():
        logger.info("Another start works on the database; this one waits for its end.")
        while not hold.take():
            time.sleep(_TURN_PAUSE_SECONDS)
    try:
        yield
    finally:
        hold.release()


@contextmanager
def only_server(configuration: Configuration) -> Iterator[None]:
    """Hold the lock of a PostgreSQL database; StartRefusedError where another has it.

    On loss it is taken again. Where another server was faster, this one ends: it must
    not work on beside one that may be of another version.
    """
    if configuration.connection.provider is not Provider.POSTGRESQL:
        yield
        return
    hold = AdvisoryHold(NAME, shared=configuration.settings.switch(SEVERAL))
    if not _taken(hold):
        raise StartRefusedError(
            f"Another Platform server uses the database{_holder()}. Stop it first. "
            f"{SEVERAL}=true on all of them lets several share it; read in the hosting "
            "page what else that needs."
        )
    stop = threading.Event()
    watch = threading.Thread(
        target=_keep, args=(hold, stop), name="server lock", daemon=True
    )
    watch.start()
    try:
        yield
    finally:
        stop.set()
        watch.join(LOOK_EVERY_SECONDS)
        hold.release()


def _taken(hold: AdvisoryHold) -> bool:
    limit = time.monotonic() + _PATIENCE_SECONDS
    while not hold.take():
        if time.monotonic() > limit:
            return False
        time.sleep(_PAUSE_SECONDS)
    return True


def _holder() -> str:
    """Return who holds the lock, in words for the sentence, as far as it can be told."""
    with connection.cursor() as cursor:
        cursor.execute(_HOLDER, [NAME])
        row = cursor.fetchone()
    if row is None:
        return ""
    pid, address, since = row
    return f" (from {address}, since {since:%Y-%m-%d %H:%M:%S %Z}, process {pid} there)"


def _keep(hold: AdvisoryHold, stop: threading.Event) -> None:
    is_lost = False
    while not stop.wait(LOOK_EVERY_SECONDS):
        try:
            is_ours = hold.take()
        except Exception as error:  # noqa: BLE001 - whatever fails, the lock is lost
            if not is_lost:
                logger.warning(
                    "The connection that locks the database broke: %s", error
                )
            is_lost = True
            continue
        if not is_ours:
            logger.error(
                "Another server took the database while this one had lost its "
                "connection; this one ends."
            )
            signal.raise_signal(signal.SIGTERM)
            return
        if is_lost:
            logger.warning("The lock of the database is held again.")
        is_lost = False
