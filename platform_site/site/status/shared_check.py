"""A check of something that may hang, such as a database, shared by all callers: only
one runs at a time, its result is cached briefly, and nobody waits beyond the limit."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Final

Check = Callable[[], str]

KEPT_SECONDS: Final = 1.0
LIMIT_SECONDS: Final = 2.0


class SharedCheck:
    """A shared check: returns why something can't be used, "" if it can.

    A hanging check occupies only one thread, however many call it; callers get
    ``late``. Once it ends, its result counts and the next check can start.
    """

    def __init__(
        self, check: Check, *, late: str, kept_seconds: float = KEPT_SECONDS
    ) -> None:
        self._check = check
        self._kept_seconds = kept_seconds
        self._late = late
        self._lock = threading.Lock()
        self._newest: _Running | None = None

    def __call__(self) -> str:
        """Return the result within the limit."""
        with self._lock:
            newest = self._newest
            if newest is None or newest.is_stale(self._kept_seconds):
                newest = self._newest = _Running(self._check)
        answer = newest.answer_in_time()
        return self._late if answer is None else answer


class _Running:
    """One execution of a check, in its own thread."""

    def __init__(self, check: Check) -> None:
        self._check = check
        self._begun = time.monotonic()
        self._ended: float | None = None
        self._answer: str | None = None
        self._done = threading.Event()
        try:
            threading.Thread(target=self._run, name="check", daemon=True).start()
        except RuntimeError as error:  # no thread is available
            self._end(str(error))

    def is_stale(self, kept_seconds: float) -> bool:
        """Return whether the result is too old."""
        ended = self._ended
        return ended is not None and time.monotonic() - ended >= kept_seconds

    def answer_in_time(self) -> str | None:
        """Return the result, None if there is none in time."""
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
