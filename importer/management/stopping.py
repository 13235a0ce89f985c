"""The handling of Ctrl-C, SIGTERM and a closed terminal, which stop an import between
two objects."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, Final


def _outlives_terminal() -> bool:
    """Return whether the command was started with `nohup`."""
    return signal.getsignal(signal.SIGHUP) is signal.SIG_IGN


# A shell without a terminal starts background processes with SIGINT ignored, but a
# signal that is sent is meant.
STOP_SIGNALS: Final = tuple(
    getattr(signal, name)
    for name in ("SIGTERM", "SIGINT", "SIGBREAK", "SIGHUP")
    if hasattr(signal, name) and not (name == "SIGHUP" and _outlives_terminal())
)


@contextmanager
def stopping(stop: Callable[[], Any]) -> Iterator[None]:
    """Call ``stop`` if a signal arrives inside the block."""
    before = {}
    with suppress(ValueError):  # only the main thread can handle signals
        for number in STOP_SIGNALS:
            before[number] = signal.signal(number, lambda *_: stop())
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
