"""Backpressure of runs: while this process handles a request, a run in another thread
waits briefly before each object.

Without it, a request that writes could wait very long. SQLite retries a lock at ever
longer intervals, and a run takes the lock again as soon as it has released it.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Final

from django.http import HttpRequest
from django.http.response import HttpResponseBase

# Long enough for a writer that retries, short compared to a request.
_REST_SECONDS: Final = 0.002
# The threads that are handling a request; changes of a set are atomic in Python.
_answering: set[int] = set()


class BackpressureMiddleware:
    """The middleware that counts requests in progress."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Handle the request and count it."""
        _answering.add(threading.get_ident())
        try:
            return self._get_response(request)
        finally:
            _answering.discard(threading.get_ident())


def yield_to_requests() -> None:
    """Wait briefly if another thread is handling a request.

    A request that carries out a run itself, such as a data processor, doesn't count.
    """
    if len(_answering) > (threading.get_ident() in _answering):
        time.sleep(_REST_SECONDS)
