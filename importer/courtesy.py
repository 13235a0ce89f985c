"""Let runs in the background give way to requests: while one is being answered by this
process, a run rests a moment before each object that it works on.

Without it a request that writes may wait very long: SQLite looks for the end of a lock
less and less often, and a run takes the lock again as soon as it has let it go.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Final

from django.http import HttpRequest
from django.http.response import HttpResponseBase

# Long enough for a writer that looks again, short beside an answer.
_REST_SECONDS: Final = 0.002


class _Requests:
    """Count the requests that this process is answering."""

    def __init__(self) -> None:
        self.count = 0
        self._lock = threading.Lock()

    def add(self, number: int) -> None:
        """Count so many more."""
        with self._lock:
            self.count += number


_requests = _Requests()


class CourtesyMiddleware:
    """Let runs in the background know of each request until it is answered."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Answer the request."""
        _requests.add(1)
        try:
            return self._get_response(request)
        finally:
            _requests.add(-1)


def give_way() -> None:
    """Rest a moment if a request is being answered."""
    if _requests.count:
        time.sleep(_REST_SECONDS)
