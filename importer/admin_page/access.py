"""Access to the page: administrators pass, visitors are sent to the login, and other
users are refused."""

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
    """Redirect visitors to the login and refuse users who aren't admitted.

    Both happen before a body is read.
    """

    def decorated(view: View) -> View:
        @wraps(view)
        def guarded(
            request: HttpRequest, *args: Any, **kwargs: Any
        ) -> HttpResponseBase:
            user = request.user
            if not user.is_authenticated and request.headers.get("HX-Request"):
                # Redirect the whole window, not the part of the page.
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
    """Admit only users who may import (IMP-266, OPEN-60)."""
    return let_in(registry.may_import, refused)(view)


def readers_too(view: View) -> View:
    """Admit every signed-in user; the view checks each run."""
    return let_in(lambda user: True, refused)(view)


def page(
    request: HttpRequest, name: str, context: dict[str, Any], *, status: int = 200
) -> TemplateResponse:
    """Return a response with a template of this app in the layout of the admin site.

    For users who may only read their own reports, `may_import` hides all other links.
    """
    site = admin.site.each_context(request)
    known = {**site, "may_import": registry.may_import(request.user)}
    template = f"importer/{name}.html"
    return TemplateResponse(request, template, {**known, **context}, status=status)


def refused(request: HttpRequest, sentence: str = "") -> HttpResponseBase:
    """Return the response that the page isn't for this user, and why."""
    context = {"title": _("Import"), "sentence": sentence}
    return page(request, "refused", context, status=403)
