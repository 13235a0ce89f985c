"""CPU and wall time of what is measured, with the CPU of the database server."""

from __future__ import annotations

import gc
import time
from contextlib import contextmanager
from pathlib import Path

from django.db import connection

SHARES = ("", ", server", ", wall")


class Timings:
    """Figures by name, in what was asked for, such as µs per object.

    The CPU of a figure is that of this process and of the server's backend together; the
    part of the server and the wall time are figures of their own.
    """

    def __init__(self):
        self.figures = {}

    @contextmanager
    def of(self, *names, unit):
        """Measure the block; ``unit`` is how many of its seconds count as one."""
        gc.collect()
        before = _clocks()
        yield
        taken = [
            (now - then) / unit for now, then in zip(_clocks(), before, strict=True)
        ]
        for name in names:
            self.add(name, *taken)

    def add(self, name, *taken):
        """Add what was measured: the CPU, that of the server, and the wall time."""
        for share, number in zip(SHARES, taken, strict=True):
            self.figures.setdefault(name + share, []).append(number)


def _clocks():
    server = server_seconds()
    return time.process_time() + server, server, time.perf_counter()


def server_seconds():
    """Return the CPU seconds that the server has spent on this connection, or 0."""
    statistics = _statistics()
    return int(statistics.read_text().split()[0]) / 1e9 if statistics else 0.0


def server_is_counted():
    """Return whether the CPU of the server is known, or part of this process."""
    return connection.vendor == "sqlite" or _statistics() is not None


def _statistics():
    """Return the kernel's file about the backend if the server is on this machine."""
    if connection.vendor != "postgresql":
        return None
    connection.ensure_connection()
    process = Path("/proc", str(connection.connection.info.backend_pid))
    try:
        local = (process / "comm").read_text().startswith("postgres")
        return process / "schedstat" if local else None
    except OSError:
        return None
