"""Ends of runs that the database doesn't accept, because its disk is full or it is
unavailable. This process keeps them in memory and retries."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from uuid import UUID

import msgspec
from django.db import Error, connections

from importer.models import ImportRun

logger = logging.getLogger("platform.importer")
_BETWEEN_TRIES = 2.0


class End(msgspec.Struct, frozen=True):
    """The end of a run, and the function that stores it."""

    run: ImportRun
    store: Callable[[], None]


_ends: dict[UUID, End] = {}
_lock = threading.Lock()
_storing = threading.Lock()


def store(run: ImportRun, write: Callable[[], None]) -> None:
    """Store the end of a run with ``write``, now or as soon as the database takes it.

    ``run`` carries the end already, and the chunks of its report.
    """
    end = End(run, write)
    if _stored(end):
        return
    with _lock:
        is_first = not _ends
        _ends[run.run_id] = end
    if is_first:
        # A daemon thread: the next start handles an end that wasn't stored.
        threading.Thread(
            target=_keep_storing, name="ends of imports", daemon=True
        ).start()


def find(run_id: UUID) -> ImportRun | None:
    """Return a run whose end isn't stored yet, None for other runs."""
    end = _ends.get(run_id)
    return None if end is None else end.run


def unstored_runs() -> list[ImportRun]:
    """Return the runs whose ends aren't stored yet, newest first."""
    found = [end.run for end in list(_ends.values())]
    return sorted(found, key=lambda run: run.started_at, reverse=True)


def store_all() -> None:
    """Try again to store the ends that aren't stored yet."""
    with _storing:
        for run_id, end in list(_ends.items()):
            if _stored(end):
                del _ends[run_id]


def _stored(end: End) -> bool:
    try:
        end.store()
    except (Error, OSError) as trouble:
        if find(end.run.run_id) is None:
            run = end.run
            logger.error(
                "The result of run %s cannot be stored yet: %s",
                run.run_id,
                trouble,
                extra={"run_id": str(run.run_id), "user_name": run.started_by_name},
            )
        return False
    return True


def _keep_storing() -> None:
    while True:
        time.sleep(_BETWEEN_TRIES)
        try:
            store_all()
        finally:
            connections.close_all()
        with _lock:
            if not _ends:
                return
