"""How long whatever opens a database connection is ready to wait for it: requests and
probes for a while, imports, jobs and commands for as long as it takes."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Final

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase

from platform_site.context_values import assigned
from platform_site.middleware import Middleware

# The server ends a statement itself; only if it does not, the client gives it up.
_GRACE_SECONDS: Final = 5


@dataclass(frozen=True, slots=True)
class Limits:
    """The seconds a connection may take for a statement, and of these for a lock.

    ``spares_attempts``: where the server let somebody wait in vain just now, it is not
    asked again at once.
    """

    statement_seconds: int
    lock_seconds: int
    connect_seconds: int = 5
    answer_seconds: int = 0
    spares_attempts: bool = True

    @property
    def most_seconds(self) -> int:
        """Return how long the client waits for any answer of the server."""
        return self.answer_seconds or self.statement_seconds + _GRACE_SECONDS


_limits: ContextVar[Limits | None] = ContextVar("limits", default=None)


def current_limits() -> Limits | None:
    """Return the limits of a connection that is opened now, None if it has none."""
    return _limits.get()


def limited(limits: Limits) -> AbstractContextManager[Limits | None]:
    """Give every connection that is opened in the block these limits, for good."""
    return assigned(_limits, limits)


class LimitsMiddleware(Middleware):
    """Limits for the connections of the threads that answer requests.

    Such a thread does nothing else, so whatever connection it opens serves requests
    alone; the runs and jobs of the same process have threads of their own.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        super().__init__(get_response)
        self._limits = Limits(
            statement_seconds=settings.PLATFORM_STATEMENT_SECONDS,
            lock_seconds=settings.PLATFORM_LOCK_SECONDS,
        )

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Answer the request."""
        with limited(self._limits):
            return self._get_response(request)
