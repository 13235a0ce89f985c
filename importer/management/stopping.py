"""Ctrl-C and SIGTERM as a wish to stop between two objects, for commands that import."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any


@contextmanager
def stopping(stop: Callable[[], Any]) -> Iterator[None]:
    """Call ``stop`` when a signal comes while the block lasts."""
    before = {}
    with suppress(ValueError):  # only the main thread may listen to signals
        for number in (signal.SIGINT, signal.SIGTERM):
            before[number] = signal.signal(number, lambda *_: stop())
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
