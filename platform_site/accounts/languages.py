"""In which language an account is spoken to: its own choice goes before what the browser
or program asks for, on pages, in the API, and in what runs without a request."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils import translation


def language_of(user: Any) -> str:
    """Return the language of the user's profile, an empty text if none is chosen."""
    code = str(getattr(user, "language", ""))
    return code if code in dict(settings.LANGUAGES) else ""


def speak_to(user: Any) -> None:
    """Answer the present request in the user's own language, if one is chosen."""
    if code := language_of(user):
        translation.activate(code)


class LanguageMiddleware:
    """The language of the signed-in user; Django has asked the browser before."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Answer the request; what is sent without a session needs no look at one."""
        if settings.SESSION_COOKIE_NAME in request.COOKIES:
            speak_to(request.user)
        return self._get_response(request)
