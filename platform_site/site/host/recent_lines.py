"""The latest lines of the log of this process, kept in memory for the system page. The
log itself goes to standard error, where the process manager keeps it."""

from __future__ import annotations

import logging
from collections import deque
from dataclasses import dataclass
from typing import Final

KEPT: Final = 200
# Most of the log is one line for each response; those would push out all others.
_LEFT_OUT: Final = "platform.access"
_LONGEST: Final = 2000


@dataclass(frozen=True, slots=True)
class LogLine:
    """A line of the log, with keys and tokens masked."""

    level: int
    level_name: str
    text: str


_lines: deque[LogLine] = deque(maxlen=KEPT)


class RecentLines(logging.Handler):
    """The handler that keeps the latest lines."""

    def emit(self, record: logging.LogRecord) -> None:
        """Keep a line."""
        if record.name == _LEFT_OUT and record.levelno < logging.WARNING:
            return
        try:
            text = self.format(record)[:_LONGEST]
        except Exception:  # noqa: BLE001 - as logging's own handlers do
            self.handleError(record)
            return
        _lines.append(LogLine(record.levelno, record.levelname, text))


def recent_lines(least: int = logging.NOTSET) -> list[LogLine]:
    """Return the latest lines of at least a level, the newest first."""
    return [line for line in reversed(list(_lines)) if line.level >= least]
