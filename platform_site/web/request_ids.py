"""The id of each request: taken from `X-Request-ID` or made here, answered in the same
header, and told in every line of the log that the request leads to."""

from __future__ import annotations

import re
import uuid
from typing import TYPE_CHECKING, Final

from importer.log_context import log_context, logged_with

if TYPE_CHECKING:
    from collections.abc import Callable

    from django.http import HttpRequest
    from django.http.response import HttpResponseBase

HEADER: Final = "X-Request-ID"
# Nothing that a log, a header or a shell would read as anything but itself.
_SAFE: Final = re.compile(r"[A-Za-z0-9._:/+=@-]{1,128}")


def chosen(given: str | None) -> str:
    """Return the id a request came with, if it can be used, or a new one."""
    if given is not None and _SAFE.fullmatch(given):
        return given
    return uuid.uuid4().hex


def current_request_id() -> str:
    """Return the id of the request being answered in this thread, or an empty text."""
    return log_context().request_id


class RequestIdMiddleware:
    """Give each request its id; the first of all, so that every answer carries it."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Answer the request, with its id.

        The front that served it may have chosen one: it hands it on in the header.
        """
        request_id = chosen(request.headers.get(HEADER))
        with logged_with(request_id=request_id):
            response = self._get_response(request)
        response.headers[HEADER] = request_id
        return response
