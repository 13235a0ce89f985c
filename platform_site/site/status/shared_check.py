"""A check of something that may hang, such as a database, shared by all who ask: one is
under way at a time, its answer is kept for a moment, and nobody waits past the limit."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Final

Check = Callable[[], str]

KEPT_SECONDS: Final = 1.0
LIMIT_SECONDS: Final = 2.0


class SharedCheck:
    """The answer of a check: why something cannot be used, "" when it can.

    A check that hangs holds one thread, however many ask meanwhile; they are told
    ``late``. Once it ends, its answer counts and the next check can begin.
    """

    def __init__(self, check: Check, *, late: str) -> None:
        self._check = check
        self._late = late
        self._lock = threading.Lock()
        self._newest: _Running | None = None

    def __call__(self) -> str:
        """Return the answer within the limit."""
        with self._lock:
            newest = self._newest
            if newest is None or newest.is_stale():
                newest = self._newest = _Running(self._check)
        answer = newest.answer_in_time()
        return self._late if answer is None else answer


class _Running:
    """One execution of a check, in a thread of its own."""

    def __init__(self, check: Check) -> None:
        self._check = check
        self._begun = time.monotonic()
        self._ended: float | None = None
        self._answer: str | None = None
        self._done = threading.Event()
        try:
            threading.Thread(target=self._run, name="check", daemon=True).start()
        except RuntimeError as error:  # no thread is to be had
            self._end(str(error))

    def is_stale(self) -> bool:
        """Return whether the answer has been kept for long enough."""
        ended = self._ended
        return ended is not None and time.monotonic() - ended >= KEPT_SECONDS

    def answer_in_time(self) -> str | None:
        """Return the answer, None if there is none when the time is over."""
        self._done.wait(max(0.0, self._begun + LIMIT_SECONDS - time.monotonic()))
        return self._answer

    def _run(self) -> None:
        try:
            self._end(self._check())
        except Exception as error:  # noqa: BLE001 - whatever fails is the answer
            self._end(" ".join(str(error).split()) or type(error).__name__)

    def _end(self, answer: str) -> None:
        self._answer = answer
        self._ended = time.monotonic()
        self._done.set()
