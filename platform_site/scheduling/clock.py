"""The time as the scheduler has it, and the bell that wakes it before the next run:
rung by the services when a job has changed, and by an execution that has ended."""

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
    """The clock of the scheduler; tests replace it with one they move themselves."""

    def now(self) -> datetime.datetime:
        """Return the present instant."""

    def wait(self, seconds: float) -> None:
        """Return when the time has passed, or at once when the bell rings."""


class SystemClock:
    """The clock of the machine."""

    def now(self) -> datetime.datetime:
        """Return the present instant."""
        return timezone.now()

    def wait(self, seconds: float) -> None:
        """Return when the time has passed, or at once when the bell rings."""
        _bell.wait(seconds)
        _bell.clear()
