"""A signal that comes while the installation is still starting: an import that goes on,
of demo data for instance, stops between two objects, and then the start is over."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Final

from importer.commands import STOP_SIGNALS
from importer.services import is_importing_here, stop_runs

# Process managers kill after 30 seconds.
HARD_LIMIT_SECONDS: Final = 29


class StartStopped(BaseException):
    """The end of a start that somebody asked to stop; no ``except Exception`` may keep
    it, as it may not keep an interrupt of the keyboard."""


class EarlyStop:
    """Whether somebody asked the start to stop."""

    def __init__(self) -> None:
        self._asked = False

    def obey(self) -> None:
        """Raise StartStopped if somebody asked for it."""
        if self._asked:
            raise StartStopped

    def ask(self, _number: int, _frame: FrameType | None) -> None:
        """Hear a signal; the import that it interrupts comes to its end first."""
        if not self._asked:
            end_at_last()
        self._asked = True
        stop_runs()
        if not is_importing_here():
            raise StartStopped


@contextmanager
def early_stop() -> Iterator[EarlyStop]:
    """Hear signals while the block lasts, unless it lets somebody else hear them."""
    stop = EarlyStop()
    before = {}
    with suppress(ValueError):  # only the main thread may listen to signals
        for number in STOP_SIGNALS:
            before[number] = signal.signal(number, stop.ask)
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def end_at_last() -> None:
    """End the process after a while whatever hangs: the process manager waits for it."""
    limit = threading.Timer(HARD_LIMIT_SECONDS, os._exit, (1,))
    limit.daemon = True
    limit.start()
