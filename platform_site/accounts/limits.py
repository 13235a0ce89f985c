"""The limits of wrong passwords: how many are allowed and how long the waits are. Pure
arithmetic without a database."""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

# The clocks of several nodes differ by less.
_SKEW: Final = timedelta(minutes=1)
# Bounds a counter, so that it is empty again within hours.
_MOST_OVER: Final = 20


@dataclass(frozen=True, slots=True)
class Limit:
    """The number of free failures, and the wait that grows with each further one.

    One failure expires for each ``forgiven_every`` without another failure.
    """

    free: int
    forgiven_every: timedelta
    first_wait: timedelta
    longest_wait: timedelta

    def left(self, failures: int, failed_at: datetime | None, now: datetime) -> int:
        """Return the number of failures that still count."""
        if failed_at is None or failed_at > now + _SKEW:
            # Counted by a clock that was ahead; nobody should wait for that time.
            return 0
        quiet = max(timedelta(), now - failed_at)
        return max(0, failures - quiet // self.forgiven_every)

    def with_one_more(
        self, failures: int, failed_at: datetime | None, now: datetime
    ) -> int:
        """Return the number of failures to store if another one happens now."""
        return min(self.left(failures, failed_at, now), self.free + _MOST_OVER - 1) + 1

    def seconds_to_wait(
        self, failures: int, failed_at: datetime | None, now: datetime
    ) -> int:
        """Return the seconds until the next attempt is allowed, 0 if it is allowed
        now."""
        if failed_at is None or self.left(failures, failed_at, now) < self.free:
            return 0
        wait = min(self.longest_wait, self.first_wait * (1 << failures - self.free))
        return max(0, math.ceil((failed_at + wait - now).total_seconds()))


def _limit(free: int, forgiven: int, first: int, longest: int) -> Limit:
    return Limit(free, *(timedelta(seconds=s) for s in (forgiven, first, longest)))


# One name from one network, or on all its devices together: 96 guesses a day after the first few.
PERSONAL: Final = _limit(free=5, forgiven=900, first=30, longest=900)
# One network that tries many names: about 1,440 guesses a day at all of them.
PER_NETWORK: Final = _limit(free=30, forgiven=60, first=15, longest=300)
# One name tried from many networks: 288 guesses a day from all of them.
PER_NAME: Final = _limit(free=100, forgiven=300, first=30, longest=900)
