"""The clock of the scheduler, and the signal that wakes it: sent when a job has changed
or an execution has ended."""

from __future__ import annotations

import datetime
import threading
from typing import Final, Protocol

from django.utils import timezone

_bell: Final = threading.Event()


def ring() -> None:
    """Wake the scheduler of this process, if there is one."""
    _bell.set()


class Clock(Protocol):
    """The clock of the scheduler; tests use one they can advance."""

    def now(self) -> datetime.datetime:
        """Return the current instant."""

    def wait(self, seconds: float) -> None:
        """Wait for some time, or until the signal."""


class SystemClock:
    """The system's clock."""

    def now(self) -> datetime.datetime:
        """Return the current instant."""
        return timezone.now()

    def wait(self, seconds: float) -> None:
        """Wait for some time, or until the signal."""
        _bell.wait(seconds)
        _bell.clear()
