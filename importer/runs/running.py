"""The runs this process is carrying out now, so that anybody in it may stop one."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from uuid import UUID

_stops: dict[UUID, threading.Event] = {}


@contextmanager
def stoppable(run_id: UUID) -> Iterator[threading.Event]:
    """Let a run be stopped while the block lasts, by the event it is given."""
    stop = _stops[run_id] = threading.Event()
    try:
        yield stop
    finally:
        del _stops[run_id]


def is_running(run_id: UUID) -> bool:
    """Tell whether this process carries out a run, and it can still be stopped."""
    return run_id in _stops


def stop(run_id: UUID) -> bool:
    """Ask a run to stop between two objects; False if this process does not run it."""
    event = _stops.get(run_id)
    if event is not None:
        event.set()
    return event is not None


def stop_all() -> None:
    """Ask every run of this process to stop; a signal handler may call this."""
    for event in list(_stops.values()):
        event.set()
