"""Stands between Django's authentication and the views, so that what a request changes
carries the name of the person who sent it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from platform_site.changes.acting import (
    Acting,
    Origin,
    acting_when_asked,
    prevailing,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from django.http import HttpRequest, HttpResponse


class ActingMiddleware:
    """Let the signed-in user act during the request; anonymous ones act as System."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Answer the request; its session is read only if a change is recorded."""
        with acting_when_asked(lambda: _sender(request)):
            return self._get_response(request)


def _sender(request: HttpRequest) -> Acting:
    """Return who sent the request, as it is known by the time a change is recorded.

    The API's own authentication comes after this middleware and puts its user, and the
    key or token it was given, on the very same request. Both may name an origin.
    """
    if not request.user.is_authenticated:
        return Acting(user=None, origin=Origin.SYSTEM)
    credential = getattr(request, "auth", None)
    origin = prevailing(
        getattr(request.user, "origin", Origin.USER),
        getattr(credential, "origin", Origin.USER),
    )
    return Acting(user=request.user, origin=origin)
