"""The bytes that the server holds for its clients, of all of them together: requests on
their way in, answers on their way out. Where there is no more room the client that is
waited for longest is let go, so that those who mean it well get in."""

from __future__ import annotations

import threading
import time
from typing import Final, Protocol

# Who has only just begun is not slow yet.
SPARED_SECONDS: Final = 2


class Holder(Protocol):
    """A body or an answer of which bytes are held."""

    @property
    def waiting_since(self) -> float | None:
        """Return since when its client is waited for, if it is; asked in any thread."""

    def give_up(self) -> None:
        """End it, soon; called in any thread."""


class Room:
    """A number of bytes that all holders have together."""

    def __init__(self, most_bytes: int) -> None:
        self.most_bytes = most_bytes
        self._lock = threading.Lock()
        self._used = 0
        self._held: dict[Holder, int] = {}
        self._given_up: set[Holder] = set()

    def take(self, holder: Holder, size: int) -> bool:
        """Count the bytes for the holder and return true, or false where they have no
        room; then one is let go, and asking again makes sense."""
        with self._lock:
            if self._used + size <= self.most_bytes:
                self._used += size
                self._held[holder] = self._held.get(holder, 0) + size
                return True
            slowest = self._slowest(holder)
            if slowest is not None:
                self._given_up.add(slowest)
        if slowest is not None:
            slowest.give_up()
        return False

    def release(self, holder: Holder) -> None:
        """Forget the holder's bytes."""
        with self._lock:
            self._used -= self._held.pop(holder, 0)
            self._given_up.discard(holder)

    def _slowest(self, asking: Holder) -> Holder | None:
        if self._given_up:
            # Its bytes are about to be released.
            return None
        last = time.monotonic() - SPARED_SECONDS
        if asking.waiting_since is not None:
            # Nobody goes for one that has been waited for longer still.
            last = min(last, asking.waiting_since)
        found = ((one.waiting_since, one) for one in self._held)
        slow = [(since, one) for since, one in found if since is not None]
        since, slowest = min(slow, key=lambda pair: pair[0], default=(last, None))
        return slowest if since < last else None
