"""The middleware that logs each of Django's responses after its last byte."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

from django.http import HttpRequest
from django.http.response import HttpResponseBase

from platform_site.log_context import LogContext, log_context, logged_as
from platform_site.middleware import Middleware
from platform_site.site.web.access_log import log_access
from platform_site.site.web.admission import is_admitted
from platform_site.site.web.request_ids import known_user_name


class AccessLogMiddleware(Middleware):
    """The access log; inside the request id and around everything that responds."""

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Handle the request, and log it."""
        began = time.monotonic()
        response: Any = self._get_response(request)
        if is_admitted(request):
            return response  # type: ignore[no-any-return] # the request is yet to come

        def log(sent: int) -> None:
            log_access(
                address=str(request.META.get("REMOTE_ADDR") or ""),
                method=request.method or "",
                target=_target(request),
                status=response.status_code,
                sent=sent,
                seconds=time.monotonic() - began,
                request_id=log_context().request_id,
                user_name=known_user_name(request),
                route=_route(request),
            )

        if request.method == "HEAD":
            log(0)
        elif getattr(response, "file_to_stream", None) is not None:
            # The server sends the file itself; counting would stream it in chunks.
            log(int(response.headers.get("Content-Length", 0)))
        elif response.streaming:
            response.streaming_content = _Counted(response.streaming_content, log)
        else:
            log(len(response.content))
        return response  # type: ignore[no-any-return]


class _Counted:
    """A streamed response that counts its bytes; logged when closed."""

    def __init__(self, pieces: Iterator[bytes], log: Callable[[int], None]) -> None:
        self._pieces = pieces
        self._log = log
        self._context: LogContext = log_context()
        self._sent = 0

    def __iter__(self) -> Iterator[bytes]:
        for piece in self._pieces:
            self._sent += len(piece)
            yield piece

    def close(self) -> None:
        """Log the response; the server closes it whether or not it was sent
        completely."""
        with logged_as(self._context):
            self._log(self._sent)


def _route(request: HttpRequest) -> str:
    """Return the pattern of the path, empty if there is none."""
    found = request.resolver_match
    return "" if found is None else f"/{found.route}"


def _target(request: HttpRequest) -> str:
    query = request.META.get("QUERY_STRING") or ""
    return f"{request.path_info}?{query}" if query else request.path_info
