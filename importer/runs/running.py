"""The runs in threads of this process.

This state belongs to one process: counters of a thread, and the signal that ends the
process. What other processes need of a run is in its row (``ImportRun``).
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from uuid import UUID

from django.utils.translation import gettext as _

from importer.pipeline.report import ReportBuilder

# The period of a rate: long enough to be stable, short enough to be current.
_PACE_SECONDS = 20
_BETWEEN_SAMPLES = 1.0


class EngineStopped(Exception):
    """No run can start because the process is about to end."""

    def __init__(self) -> None:
        super().__init__(
            _(
                "The server is stopping; start the import when the server is "
                "running again."
            )
        )


class EnginePaused(EngineStopped):
    """No run can start now, for a reason of the project."""

    def __init__(self, reason: str) -> None:
        super().__init__()
        self.args = (reason,)


class NotRunning(Exception):
    """The refusal to stop a run that isn't running."""


class Running:
    """A run of this process: its progress, and whether it should stop.

    ``total`` is None while the package is checked; ``done`` then counts the checked
    objects.
    """

    def __init__(self, builder: ReportBuilder) -> None:
        self.stop = threading.Event()
        self.builder = builder
        self.total: int | None = None
        self.thread = threading.get_ident()
        self._checked = 0
        self._samples: deque[tuple[float, int]] = deque([(time.monotonic(), 0)])

    @property
    def done(self) -> int:
        """Return the number of objects processed in this stage."""
        if self.total is None:
            return self._checked
        # Entries of rows without an object come after the last object.
        return min(self.builder.done, self.total)

    def checked(self, count: int) -> None:
        """Set the number of objects checked so far."""
        self._checked = count

    def begin(self, total: int) -> None:
        """Begin the stage of processing, with the number of objects."""
        if self.total is None:
            self.total = total
            self._samples = deque([(time.monotonic(), self.done)])

    def tick(self) -> bool:
        """Take a sample for the rate; return False if it is too early for the next
        one."""
        now, samples = time.monotonic(), self._samples
        if now - samples[-1][0] < _BETWEEN_SAMPLES:
            return False
        while now - samples[0][0] > _PACE_SECONDS and len(samples) > 1:
            samples.popleft()
        samples.append((now, self.done))
        return True

    def rate(self) -> float | None:
        """Return the recent objects per second of this stage, None if unknown."""
        since, before = self._samples[0]
        seconds, objects = time.monotonic() - since, self.done - before
        return objects / seconds if seconds >= _BETWEEN_SAMPLES and objects else None


_all: dict[UUID, Running] = {}
_stopped = threading.Event()


@contextmanager
def registered(run_id: UUID, builder: ReportBuilder) -> Iterator[Running]:
    """Register a run of this process inside the block."""
    one = _all[run_id] = Running(builder)
    if _stopped.is_set():
        one.stop.set()
    try:
        yield one
    finally:
        del _all[run_id]


def is_running(run_id: UUID) -> bool:
    """Return whether this process carries out a run."""
    return run_id in _all


def is_importing_here() -> bool:
    """Return whether the caller interrupts a run, such as a signal handler."""
    here = threading.get_ident()
    return any(one.thread == here for one in list(_all.values()))


def stop_all() -> None:
    """Ask every run of this process to stop, and prevent new ones; a signal handler may
    call this."""
    _stopped.set()
    for one in list(_all.values()):
        one.stop.set()


def is_stopped() -> bool:
    """Return whether no run may start any more."""
    return _stopped.is_set()


def refuse_if_stopped() -> None:
    """Raise EngineStopped if no run may start any more."""
    if _stopped.is_set():
        raise EngineStopped
