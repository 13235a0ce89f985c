"""The middleware that sets the change context of requests."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse

from platform_site.changes.context import (
    Acting,
    ChangeOrigin,
    acting_when_asked,
    prevailing,
)
from platform_site.middleware import Middleware


class ActingMiddleware(Middleware):
    """The change context of each request; anonymous requests act as System."""

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Handle the request; its session is read only if a change is recorded."""
        with acting_when_asked(lambda: _sender(request)):
            return self._get_response(request)


def _sender(request: HttpRequest) -> Acting:
    """Return the user, origin and credential of a request when a change is recorded.

    The authentication of the API runs after this middleware and sets its user and
    credential on the same request. Both may have an origin.
    """
    if not request.user.is_authenticated:
        return Acting(user=None, origin=ChangeOrigin.SYSTEM)
    credential = getattr(request, "auth", None)
    origin = prevailing(
        getattr(request.user, "origin", ChangeOrigin.USER),
        getattr(credential, "origin", ChangeOrigin.USER),
    )
    return Acting(user=request.user, origin=origin)
