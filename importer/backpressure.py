"""The rest that runs take for requests: while this process answers one, a run in
another of its threads waits a moment before each object.

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
# The threads that are answering a request; a set of Python is changed in one step.
_answering: set[int] = set()


class BackpressureMiddleware:
    """The middleware that counts requests until they are answered."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Answer the request."""
        _answering.add(threading.get_ident())
        try:
            return self._get_response(request)
        finally:
            _answering.discard(threading.get_ident())


def yield_to_requests() -> None:
    """Rest a moment if another thread is answering a request.

    A request that carries out a run itself, as a data processor does, is no hindrance.
    """
    if len(_answering) > (threading.get_ident() in _answering):
        time.sleep(_REST_SECONDS)
