"""The total number of bytes that the server holds for its clients, for request and
response bodies. No address gets all of it. Without room, the slowest client of the
address that holds most is disconnected in favour of others."""

from __future__ import annotations

import threading
import time
from collections import Counter
from typing import Final, Protocol

# A client that has just begun isn't slow yet.
SPARED_SECONDS: Final = 2


class BudgetHolder(Protocol):
    """A request or response body whose bytes are counted."""

    @property
    def address(self) -> str:
        """Return the client's address, which never changes."""

    @property
    def waiting_since(self) -> float | None:
        """Return since when the server waits for the client, None if it doesn't;
        thread-safe."""

    def give_up(self) -> None:
        """End the request soon; thread-safe."""


class ByteBudget:
    """A number of bytes shared by all holders."""

    def __init__(self, most_bytes: int) -> None:
        self.most_bytes = most_bytes
        # An eighth is reserved for others.
        self.most_of_one = most_bytes * 7 // 8
        self._lock = threading.Lock()
        self._used = 0
        self._held: dict[BudgetHolder, int] = {}
        self._by_address: Counter[str] = Counter()
        self._given_up: set[BudgetHolder] = set()

    @property
    def used_bytes(self) -> int:
        """Return the bytes that all holders have together."""
        return self._used

    def take(self, holder: BudgetHolder, size: int) -> bool:
        """Count bytes for the holder and return True, or return False without room;
        then one holder is ended, and a retry makes sense."""
        with self._lock:
            address = holder.address
            is_too_much = self._by_address[address] + size > self.most_of_one
            if not is_too_much and self._used + size <= self.most_bytes:
                self._used += size
                self._by_address[address] += size
                self._held[holder] = self._held.get(holder, 0) + size
                return True
            slowest = self._slowest(holder, address if is_too_much else None)
            if slowest is not None:
                self._given_up.add(slowest)
        if slowest is not None:
            slowest.give_up()
        return False

    def release(self, holder: BudgetHolder) -> None:
        """Release the holder's bytes."""
        with self._lock:
            held = self._held.pop(holder, 0)
            self._used -= held
            self._by_address[holder.address] -= held
            if not self._by_address[holder.address]:
                del self._by_address[holder.address]
            self._given_up.discard(holder)

    def _slowest(
        self, asking: BudgetHolder, address: str | None
    ) -> BudgetHolder | None:
        """Return the holder to end: one of the address, or of the one that holds
        most."""
        if self._given_up:
            # Its bytes are about to be released.
            return None
        slow: dict[str, list[tuple[float, BudgetHolder]]] = {}
        for one in self._held:
            if (since := one.waiting_since) is not None:
                slow.setdefault(one.address, []).append((since, one))
        if address is None and slow:
            address = max(slow, key=self._by_address.__getitem__)
        last = time.monotonic() - SPARED_SECONDS
        if asking.address == address and asking.waiting_since is not None:
            # Don't end one for a client that is even slower.
            last = min(last, asking.waiting_since)
        theirs = slow.get(address or "", [])
        since, slowest = min(theirs, key=lambda pair: pair[0], default=(last, None))
        return slowest if since < last else None
