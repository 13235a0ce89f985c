"""The headers that keep a browser from doing more than the pages need, on every answer,
including the health paths and static files."""

from __future__ import annotations

from functools import cache
from typing import Final

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.middleware.security import SecurityMiddleware
from django.test import RequestFactory

from platform_site.middleware import Middleware

# No script and no style inside a page: what gets into its text stays text.
CONTENT_SECURITY_POLICY: Final = "; ".join(
    [
        "default-src 'self'",
        "img-src 'self' data:",
        "object-src 'none'",
        "base-uri 'none'",
        "form-action 'self'",
        "frame-ancestors 'none'",
    ]
)
HEADERS: Final = {
    "Content-Security-Policy": CONTENT_SECURITY_POLICY,
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=()",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
}


class HeadersMiddleware(Middleware):
    """The headers that an answer does not set itself; a view that needs more sets them."""

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Answer the request, with the headers."""
        response = self._get_response(request)
        for name, value in HEADERS.items():
            response.headers.setdefault(name, value)
        return response


@cache
def common_headers(scheme: str) -> list[tuple[bytes, bytes]]:
    """Return what every answer carries, for one that the application does not give."""

    # Asked of those who set them, so that each is set in one place.
    request = RequestFactory().get("/", secure=scheme == "https")
    answer = SecurityMiddleware(_nothing).process_response(request, _nothing(request))
    complete = HeadersMiddleware(lambda _request: answer)(request)
    return [
        (name.lower().encode("latin-1"), value.encode("latin-1"))
        for name, value in complete.items()
    ]


def _nothing(_request: HttpRequest) -> HttpResponse:
    answer = HttpResponse()
    del answer.headers["Content-Type"]
    return answer
