"""The context of log lines: request, run and user. It is set where work begins and read
by the log formatters."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from typing import Any, Final

from platform_site.context_values import assigned


def _nobody() -> str:
    return ""


@dataclass(frozen=True, slots=True)
class LogContext:
    """The work that a line belongs to; unknown values are empty.

    ``user_name`` is called when a line is written and must not query the database,
    since the line may report that it is unavailable.
    """

    request_id: str = ""
    address: str = ""
    via: str = ""
    run_id: str = ""
    job: str = ""
    user_name: Callable[[], str] = _nobody

    def of_the_work_it_begins(self) -> LogContext:
        """Return the context for another thread, without keeping objects alive."""
        return replace(self, user_name=_nobody)


_NOTHING: Final = LogContext()
_context: ContextVar[LogContext] = ContextVar("log_context", default=_NOTHING)


def log_context() -> LogContext:
    """Return the current context."""
    return _context.get()


def logged_with(**known: Any) -> AbstractContextManager[LogContext]:
    """Add values to the context inside the block."""
    return assigned(_context, replace(_context.get(), **known))


def logged_as(context: LogContext) -> AbstractContextManager[LogContext]:
    """Use the context of another thread inside the block."""
    return assigned(_context, context)
