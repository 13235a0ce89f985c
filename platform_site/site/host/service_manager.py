"""Messages to the service manager that started the server: it serves, it stops, and again
and again that it is alive.

The protocol is sd_notify of systemd: lines of text in a datagram to a Unix socket. Without
such a socket nothing is sent.
"""

from __future__ import annotations

import asyncio
import logging
import os
import socket
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Final

# While every thread is busy, a request may take this long: exports of large tables do.
STUCK_SECONDS: Final = 300
logger = logging.getLogger("platform.host")


class ServiceManager:
    """The service manager of this process, as its environment names it."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        path = environ.get("NOTIFY_SOCKET", "")
        # An @ stands for the zero byte of an abstract address.
        self._address = f"\0{path[1:]}" if path.startswith("@") else path
        self.pause_seconds = _pause(environ) if path else 0.0
        self._has_failed = False

    def say(self, *lines: str) -> None:
        """Send lines such as READY=1; a signal handler may call this."""
        if not self._address or not hasattr(socket, "AF_UNIX"):
            return
        try:
            with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sender:
                sender.settimeout(0)
                sender.sendto("\n".join(lines).encode(), self._address)
        except OSError as error:
            if not self._has_failed:
                logger.warning("The service manager can't be notified: %s", error)
            self._has_failed = True

    async def report_life(self, is_alive: Callable[[], bool]) -> None:
        """Say again and again that the server lives, as long as it does.

        The event loop that runs this accepts connections, so its end is noticed too.
        """
        if not self.pause_seconds:
            return
        was_alive = True
        while True:
            alive = is_alive()
            if alive:
                self.say("WATCHDOG=1")
            elif was_alive:
                logger.error(
                    "No thread has finished a request for %d s; the service manager is "
                    "no longer told that the server is alive.",
                    STUCK_SECONDS,
                )
            was_alive = alive
            await asyncio.sleep(self.pause_seconds)


class Progress:
    """Whether the threads make progress: one is free, or has finished recently."""

    def __init__(
        self, finished: Callable[[], int], has_free: Callable[[], bool]
    ) -> None:
        self._finished = finished
        self._has_free = has_free
        self._seen = -1
        self._since = 0.0

    def is_made(self) -> bool:
        """Return whether it is; to be called regularly."""
        now, finished = time.monotonic(), self._finished()
        if finished != self._seen or self._has_free():
            self._seen, self._since = finished, now
        return now - self._since < STUCK_SECONDS


def _pause(environ: Mapping[str, str]) -> float:
    """Return the seconds between signs of life, 0 if nobody waits for them."""
    if environ.get("WATCHDOG_PID", str(os.getpid())) != str(os.getpid()):
        return 0.0
    with suppress(ValueError):
        # Half of the limit, as its documentation recommends.
        return max(int(environ.get("WATCHDOG_USEC", "0")) / 2_000_000, 0.0)
    return 0.0
