"""The base of the platform's middlewares, and what they know of responses."""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase


class Middleware:
    """A middleware that passes requests on; subclasses extend it."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Return the response to a request."""
        return self._get_response(request)


def foreseen(response: HttpResponse) -> HttpResponse:
    """Mark an error status as no failure, such as during an announced maintenance, so that
    the log has it below a warning; return the response."""
    response.is_foreseen = True  # type: ignore[attr-defined]
    return response


def is_foreseen(response: HttpResponseBase) -> bool:
    """Return whether a response is marked like that."""
    return getattr(response, "is_foreseen", False)
