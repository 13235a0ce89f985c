"""Lines of the log: one entry begins one line, whatever the logged texts hold."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from importer.package.texts import printable

if TYPE_CHECKING:
    from types import TracebackType

    Trouble = (
        tuple[type[BaseException], BaseException, TracebackType | None]
        | tuple[None, None, None]
    )


class LineFormatter(logging.Formatter):
    """Writes control and direction characters as escapes.

    A name with a line end in it would forge an entry, one with a colour in it would
    paint the terminal of whoever reads the log.
    """

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 - logging's name
        """Return the entry as one line."""
        return printable(super().formatMessage(record))

    def formatException(self, ei: Trouble) -> str:  # noqa: N802 - logging's name
        """Return a traceback, its lines kept."""
        return "\n".join(map(printable, super().formatException(ei).split("\n")))
