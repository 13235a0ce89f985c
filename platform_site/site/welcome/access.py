"""Access to the wizard: administrators get the next step, others are redirected."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.cache import never_cache

from platform_site.accounts.services import is_administrator
from platform_site.site.welcome.steps import WizardStep, current_step

View = Callable[..., HttpResponseBase]


def administrators_only(view: View) -> View:
    """Redirect visitors to the login, and refuse users who are not administrators."""

    @never_cache
    @wraps(view)
    def guarded(request: HttpRequest, *args: Any) -> HttpResponseBase:
        if is_administrator(request.user):
            return view(request, *args)
        if request.user.is_authenticated:
            raise PermissionDenied
        if request.headers.get("HX-Request"):
            # Redirect the whole window, not the part of the page.
            return HttpResponse(headers={"HX-Refresh": "true"})
        return redirect_to_login(request.get_full_path(), reverse("admin:login"))

    return guarded


def at_step(step: WizardStep) -> Callable[[View], View]:
    """Allow a page and its form only while its step is the next one.

    A form sent twice, or from an earlier page, only redirects.
    """

    def decorated(view: View) -> View:
        @administrators_only
        @wraps(view)
        def guarded(request: HttpRequest, *args: Any) -> HttpResponseBase:
            if current_step() is not step:
                return to_current_step()
            return view(request, *args)

        return guarded

    return decorated


def to_current_step() -> HttpResponseBase:
    """Redirect to the next step, or to the start page if there is none."""
    step = current_step()
    return redirect("admin:index" if step is None else f"welcome-{step}")
