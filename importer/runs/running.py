"""The runs that threads of this process carry out.

This is per process by nature: counters of a thread, and the signal that ends the process.
What other processes need of a run is in its row (``ImportRun``).
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

# What a rate is measured over: long enough to be calm, short enough to be of now.
_PACE_SECONDS = 20
_BETWEEN_SAMPLES = 1.0


class EngineStopped(Exception):
    """No run begins any more because the process is about to end."""

    def __init__(self) -> None:
        super().__init__(_("The server is stopping; start the import when it is back."))


class NotRunning(Exception):
    """The reason why a run can't be stopped."""


class Running:
    """A run of this process: how far it is, and whether it is to stop.

    ``total`` is None while the package is checked; ``done`` then counts the objects
    that were checked.
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
        """Return how many objects this stage is done with."""
        return self._checked if self.total is None else self.builder.done

    def checked(self, count: int) -> None:
        """Note how many objects were checked so far."""
        self._checked = count

    def begin(self, total: int) -> None:
        """Note that all is checked, and how many objects there are to do."""
        if self.total is None:
            self.total = total
            self._samples = deque([(time.monotonic(), self.done)])

    def tick(self) -> bool:
        """Take a sample for the rate; False if it is too early for the next one."""
        now, samples = time.monotonic(), self._samples
        if now - samples[-1][0] < _BETWEEN_SAMPLES:
            return False
        while now - samples[0][0] > _PACE_SECONDS and len(samples) > 1:
            samples.popleft()
        samples.append((now, self.done))
        return True

    def rate(self) -> float | None:
        """Return the objects a second of this stage lately, None before there is any."""
        since, before = self._samples[0]
        seconds, objects = time.monotonic() - since, self.done - before
        return objects / seconds if seconds >= _BETWEEN_SAMPLES and objects else None


_all: dict[UUID, Running] = {}
_stopped = threading.Event()


@contextmanager
def registered(run_id: UUID, builder: ReportBuilder) -> Iterator[Running]:
    """Register a run of this process while the block lasts."""
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
    """Return whether the caller interrupts a run, as a signal's handler may."""
    here = threading.get_ident()
    return any(one.thread == here for one in list(_all.values()))


def stop_all() -> None:
    """Ask every run of this process to stop, and let no more begin; a signal handler
    may call this."""
    _stopped.set()
    for one in list(_all.values()):
        one.stop.set()


def refuse_if_stopped() -> None:
    """Raise EngineStopped where no run may begin any more."""
    if _stopped.is_set():
        raise EngineStopped
