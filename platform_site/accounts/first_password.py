"""One-time passwords: until their owner has chosen another one, the pages lead to the
form for it, and the API does nothing else."""

from __future__ import annotations

from typing import Any, Final

from django.conf import settings
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _

from platform_site.middleware import Middleware

_FORM: Final = "admin:password_change"
_ALLOWED_PAGES: Final = frozenset(
    {_FORM, "admin:password_change_done", "admin:login", "admin:logout", "admin:jsi18n"}
)
# The ends of the paths of the API that work.
_ALLOWED_PATHS: Final = ("/Account/change-password", "/Auth/logout")


class OwnPasswordMiddleware(Middleware):
    """The redirect of people with a one-time password to the form for their own."""

    def process_view(self, request: HttpRequest, *view: Any) -> HttpResponseBase | None:
        """Redirect a page, and refuse a call of the API, before they do anything."""
        if settings.SESSION_COOKIE_NAME not in request.COOKIES:
            return None
        user: Any = request.user
        if not user.is_authenticated or not user.must_change_password:
            return None
        match = request.resolver_match
        if match is not None and match.view_name in _ALLOWED_PAGES:
            return None
        if not request.path.startswith(reverse("admin:index")):
            refuse_one_time_password(user, request.path)
            return None
        return redirect(_FORM)


def refuse_one_time_password(user: Any, path: str) -> None:
    """Raise PermissionDenied if a user must choose a password before using this path of
    the API."""
    if user.must_change_password and not path.endswith(_ALLOWED_PATHS):
        raise PermissionDenied(
            _("Choose a password of your own first; yours is for one sign-in only.")
        )
