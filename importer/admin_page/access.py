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


def administrators_only(view: View) -> View:
    """Let only those in who may import (IMP-266, OPEN-60), before a body is read."""

    @wraps(view)
    def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        user = request.user
        if not user.is_authenticated and request.headers.get("HX-Request"):
            # The login belongs into the window, not into a part of the page.
            return HttpResponse(headers={"HX-Refresh": "true"})
        if not user.is_authenticated:
            return redirect_to_login(request.get_full_path(), reverse("admin:login"))
        if not registry.may_import(user):
            return page(request, "refused", {"title": _("Import")}, status=403)
        return view(request, *args, **kwargs)

    return never_cache(guarded)


def page(
    request: HttpRequest, name: str, context: dict[str, Any], *, status: int = 200
) -> TemplateResponse:
    """Answer with a template of this app in the surroundings of the admin site."""
    site = admin.site.each_context(request)
    template = f"importer/{name}.html"
    return TemplateResponse(request, template, {**site, **context}, status=status)
