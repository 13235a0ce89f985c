"""The redirect from HTTP to the HTTPS port, if there is one; health paths are handled
before, and those of a monitoring are exempt."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from django.conf import settings
from django.core.exceptions import MiddlewareNotUsed
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.http.response import HttpResponseBase

from platform_site.middleware import Middleware

_USUAL_PORT: Final = 443


class _Redirect(HttpResponseRedirect):
    """A redirect that keeps method and body, unlike 301 and 302 (OPEN-102)."""

    status_code = 307


class RedirectToHttpsMiddleware(Middleware):
    """The redirect to the same URL over HTTPS (HOST-156).

    Django's own redirect would keep the HTTP port.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        if settings.PLATFORM_HTTPS_PORT is None:
            # Without a known port, a first run would redirect to nothing.
            raise MiddlewareNotUsed
        super().__init__(get_response)
        port: int = settings.PLATFORM_HTTPS_PORT
        self._port = "" if port == _USUAL_PORT else f":{port}"
        self._exempt = [re.compile(one) for one in settings.SECURE_REDIRECT_EXEMPT]

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Redirect requests that did not use HTTPS."""
        path = request.path_info.lstrip("/")
        if request.is_secure() or any(one.search(path) for one in self._exempt):
            return self._get_response(request)
        host = _without_port(request.get_host())
        return _Redirect(f"https://{host}{self._port}{request.get_full_path()}")


def is_plain(request: HttpRequest) -> bool:
    """Return whether a request came without HTTPS although the site is served with it."""
    return settings.PLATFORM_HTTPS_PORT is not None and not request.is_secure()


def _without_port(host: str) -> str:
    name, colon, port = host.rpartition(":")
    # An IPv6 address without a port ends in a bracket.
    return name if colon and port.isdigit() else host
