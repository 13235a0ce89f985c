"""Slow down whoever guesses passwords: every door that takes one asks here first and
says afterwards how it went. Counted in this process, forgotten with it."""

from __future__ import annotations

import math
import threading
import time
from collections import deque
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

    from django.http import HttpRequest

WINDOW_SECONDS: Final = 60
PER_NAME: Final = 5
PER_ADDRESS: Final = 30
_MOST_KEPT: Final = 10_000


class Failures:
    """Count failures by key within a sliding window."""

    def __init__(self, most: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._most = most
        self._clock = clock
        self._times: dict[str, deque[float]] = {}
        self._lock = threading.Lock()

    def seconds_to_wait(self, key: str) -> int:
        """Return how long to wait, 0 while there were not too many."""
        now = self._clock()
        with self._lock:
            times = self._recent(key, now)
            if len(times) < self._most:
                return 0
            return max(1, math.ceil(times[-self._most] + WINDOW_SECONDS - now))

    def note(self, key: str) -> None:
        """Count one more."""
        now = self._clock()
        with self._lock:
            times = self._recent(key, now)
            times.append(now)
            # Whoever failed last is kept longest.
            self._times.pop(key, None)
            self._times[key] = times
            while len(self._times) > _MOST_KEPT:
                del self._times[next(iter(self._times))]

    def forget(self, key: str) -> None:
        """Count from nothing again."""
        with self._lock:
            self._times.pop(key, None)

    def forget_all(self) -> None:
        """Count everybody from nothing again; for tests."""
        with self._lock:
            self._times.clear()

    def _recent(self, key: str, now: float) -> deque[float]:
        times = self._times.get(key, deque(maxlen=self._most))
        while times and times[0] <= now - WINDOW_SECONDS:
            times.popleft()
        return times


by_name: Final = Failures(PER_NAME)
by_address: Final = Failures(PER_ADDRESS)


def seconds_to_wait(request: HttpRequest | None, user_name: str) -> int:
    """Return how long this caller must wait before a password is looked at, or 0."""
    waits = [by_name.seconds_to_wait(_folded(user_name))]
    if address := _address(request):
        waits.append(by_address.seconds_to_wait(address))
    return max(waits)


def note_attempt(
    request: HttpRequest | None, user_name: str, *, succeeded: bool
) -> None:
    """Remember a failure; a success makes good the failures with that name.

    Those from the address stay: one known password must not buy guesses at others.
    """
    if succeeded:
        by_name.forget(_folded(user_name))
        return
    by_name.note(_folded(user_name))
    if address := _address(request):
        by_address.note(address)


def _folded(user_name: str) -> str:
    return user_name.strip().casefold()[:150]


def _address(request: HttpRequest | None) -> str:
    """Return the other end of the connection, as the server sees it.

    Forwarded headers count only where the server trusts the proxy, and then they are
    in here already.
    """
    return "" if request is None else str(request.META.get("REMOTE_ADDR") or "")
