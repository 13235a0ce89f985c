"""What a line of the log belongs to besides its text: the request, the run and the person
at work. Opened by whatever begins a piece of work, read by the formatters of the log."""

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
    """The work a line belongs to; what is not known is empty.

    ``user_name`` is asked when a line is written, and must not look anything up: the
    line may tell of a database that is away.
    """

    request_id: str = ""
    address: str = ""
    via: str = ""
    run_id: str = ""
    job: str = ""
    user_name: Callable[[], str] = _nobody

    def of_the_work_it_begins(self) -> LogContext:
        """Return what lines of another thread may say, with nothing kept alive by it."""
        return replace(self, user_name=_nobody)


_NOTHING: Final = LogContext()
_context: ContextVar[LogContext] = ContextVar("log_context", default=_NOTHING)


def log_context() -> LogContext:
    """Return what the lines written now belong to."""
    return _context.get()


def logged_with(**known: Any) -> AbstractContextManager[LogContext]:
    """Let the lines written inside the block belong to what is named as well."""
    return assigned(_context, replace(_context.get(), **known))


def logged_as(context: LogContext) -> AbstractContextManager[LogContext]:
    """Let a thread of its own go on with the context of whoever began its work."""
    return assigned(_context, context)
