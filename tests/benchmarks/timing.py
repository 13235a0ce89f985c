"""Measure one thing: CPU of this process, and the wall beside it."""

from __future__ import annotations

import gc
import statistics
import time
from contextlib import contextmanager


class Timings:
    """Gather (cpu, wall) seconds by the name of what was measured."""

    def __init__(self):
        self.taken = {}

    @contextmanager
    def of(self, *names):
        gc.collect()
        cpu, wall = time.process_time(), time.perf_counter()
        yield
        took = (time.process_time() - cpu, time.perf_counter() - wall)
        for name in names:
            self.taken.setdefault(name, []).append(took)

    def medians(self):
        """Return {name: (cpu, wall)}, each the median of what was taken."""
        return {
            name: tuple(
                statistics.median(column) for column in zip(*rounds, strict=True)
            )
            for name, rounds in self.taken.items()
        }
