"""Signals during the start: an import in progress, such as demo data, stops between two
objects, and then the start ends."""

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
    """The end of a start by a signal; like KeyboardInterrupt it isn't caught by
    ``except Exception``."""


class EarlyStop:
    """Whether the start has been asked to stop."""

    def __init__(self) -> None:
        self._asked = False

    def obey(self) -> None:
        """Raise StartStopped if a stop was requested."""
        if self._asked:
            raise StartStopped

    def ask(self, _number: int, _frame: FrameType | None) -> None:
        """Handle a signal; an import in progress ends properly first."""
        if not self._asked:
            end_at_last()
        self._asked = True
        stop_runs()
        if not is_importing_here():
            raise StartStopped


@contextmanager
def early_stop() -> Iterator[EarlyStop]:
    """Handle signals inside the block, unless another handler takes over."""
    stop = EarlyStop()
    before = {}
    with suppress(ValueError):  # only the main thread can handle signals
        for number in STOP_SIGNALS:
            before[number] = signal.signal(number, stop.ask)
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def end_at_last() -> None:
    """End the process after a while, even if something hangs; the process manager is
    waiting."""
    limit = threading.Timer(HARD_LIMIT_SECONDS, os._exit, (1,))
    limit.daemon = True
    limit.start()
