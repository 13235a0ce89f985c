"""Time limits of database connections: requests and probes wait for a limited time,
imports, jobs and commands as long as necessary."""

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

# The server ends a statement itself; the client is only the second safeguard.
_GRACE_SECONDS: Final = 5


@dataclass(frozen=True, slots=True)
class Limits:
    """The seconds a statement may take, and the part of them for a lock.

    ``spares_attempts``: after a failed connection the server isn't tried again at once.
    """

    statement_seconds: int
    lock_seconds: int
    connect_seconds: int = 5
    answer_seconds: int = 0
    spares_attempts: bool = True

    @property
    def most_seconds(self) -> int:
        """Return how long the client waits for any response of the server."""
        return self.answer_seconds or self.statement_seconds + _GRACE_SECONDS


_limits: ContextVar[Limits | None] = ContextVar("limits", default=None)


def current_limits() -> Limits | None:
    """Return the limits of a connection that is opened now, None if it has none."""
    return _limits.get()


def limited(limits: Limits) -> AbstractContextManager[Limits | None]:
    """Give every connection opened inside the block these limits permanently."""
    return assigned(_limits, limits)


class LimitsMiddleware(Middleware):
    """Limits for the connections of threads that handle requests.

    Such a thread does nothing else, so all its connections serve requests; runs and
    jobs of the same process have their own threads.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        super().__init__(get_response)
        self._limits = Limits(
            statement_seconds=settings.PLATFORM_STATEMENT_SECONDS,
            lock_seconds=settings.PLATFORM_LOCK_SECONDS,
        )

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Handle the request."""
        with limited(self._limits):
            return self._get_response(request)
