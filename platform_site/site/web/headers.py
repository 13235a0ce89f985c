"""The security headers of every response, including health paths and static files."""

from __future__ import annotations

from functools import cache
from typing import Final

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.middleware.security import SecurityMiddleware
from django.test import RequestFactory

from platform_site.middleware import Middleware

# No inline scripts and styles, so that injected text stays text.
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
    """A middleware that adds the headers that a response doesn't set itself."""

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Handle the request and add the headers."""
        response = self._get_response(request)
        for name, value in HEADERS.items():
            response.headers.setdefault(name, value)
        return response


@cache
def common_headers(scheme: str) -> list[tuple[bytes, bytes]]:
    """Return the headers for responses outside of Django."""

    # Taken from the middlewares, so that each header is defined in one place.
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
