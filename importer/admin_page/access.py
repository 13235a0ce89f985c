"""Who comes in: administrators pass, visitors are sent to the login, others refused."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.contrib import admin
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache

from importer import registry

View = Callable[..., HttpResponseBase]


def let_in(
    admits: Callable[[Any], bool], refuse: Callable[[HttpRequest], HttpResponseBase]
) -> Callable[[View], View]:
    """Send visitors of a page to the login, and refuse users who are not admitted.

    Both before a body is read.
    """

    def decorated(view: View) -> View:
        @wraps(view)
        def guarded(
            request: HttpRequest, *args: Any, **kwargs: Any
        ) -> HttpResponseBase:
            user = request.user
            if not user.is_authenticated and request.headers.get("HX-Request"):
                # The login belongs into the window, not into a part of the page.
                return HttpResponse(headers={"HX-Refresh": "true"})
            if not user.is_authenticated:
                login = reverse("admin:login")
                return redirect_to_login(request.get_full_path(), login)
            if not admits(user):
                return refuse(request)
            return view(request, *args, **kwargs)

        return never_cache(guarded)

    return decorated


def administrators_only(view: View) -> View:
    """Let only those in who may import (IMP-266, OPEN-60)."""
    return let_in(registry.may_import, refused)(view)


def readers_too(view: View) -> View:
    """Let in whoever is signed in; the view asks for each run who may read it."""
    return let_in(lambda user: True, refused)(view)


def page(
    request: HttpRequest, name: str, context: dict[str, Any], *, status: int = 200
) -> TemplateResponse:
    """Answer with a template of this app in the surroundings of the admin site.

    To those who only read their own reports, `may_import` hides every way to the rest.
    """
    site = admin.site.each_context(request)
    known = {**site, "may_import": registry.may_import(request.user)}
    template = f"importer/{name}.html"
    return TemplateResponse(request, template, {**known, **context}, status=status)


def refused(request: HttpRequest, sentence: str = "") -> HttpResponseBase:
    """Answer that the page is not for this user, and why."""
    context = {"title": _("Import"), "sentence": sentence}
    return page(request, "refused", context, status=403)
