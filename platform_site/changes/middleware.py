"""The middleware between Django's authentication and the views, by which the changes a
request makes carry the name of its user."""

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
        """Answer the request; its session is read only if a change is recorded."""
        with acting_when_asked(lambda: _sender(request)):
            return self._get_response(request)


def _sender(request: HttpRequest) -> Acting:
    """Return who sent the request, as it is known by the time a change is recorded.

    The API's own authentication comes after this middleware and puts its user, and the
    key or token it was given, on the very same request. Both may name an origin.
    """
    if not request.user.is_authenticated:
        return Acting(user=None, origin=ChangeOrigin.SYSTEM)
    credential = getattr(request, "auth", None)
    origin = prevailing(
        getattr(request.user, "origin", ChangeOrigin.USER),
        getattr(credential, "origin", ChangeOrigin.USER),
    )
    return Acting(user=request.user, origin=origin)
