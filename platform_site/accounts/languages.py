"""The language of a user: the user's choice takes precedence over that of the browser
or program, on pages, in the API and in background work."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils import translation

from platform_site.middleware import Middleware


def language_of(user: Any) -> str:
    """Return the language of the user's profile, an empty text if none is set."""
    code = str(getattr(user, "language", ""))
    return code if code in dict(settings.LANGUAGES) else ""


def activate_language_of(user: Any) -> None:
    """Activate the user's language for the current request, if one is set."""
    if code := language_of(user):
        translation.activate(code)


class LanguageMiddleware(Middleware):
    """The middleware that activates the language of the signed-in user."""

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Handle the request; one without a session cookie doesn't load a session."""
        if settings.SESSION_COOKIE_NAME in request.COOKIES:
            activate_language_of(request.user)
        return self._get_response(request)
