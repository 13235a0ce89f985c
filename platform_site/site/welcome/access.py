"""Who comes in: administrators, at the step that is next; everybody else is sent to
where they belong."""

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
    """Send visitors to the login, and refuse users who are not administrators."""

    @never_cache
    @wraps(view)
    def guarded(request: HttpRequest, *args: Any) -> HttpResponseBase:
        if is_administrator(request.user):
            return view(request, *args)
        if request.user.is_authenticated:
            raise PermissionDenied
        if request.headers.get("HX-Request"):
            # The login belongs into the window, not into a part of the page.
            return HttpResponse(headers={"HX-Refresh": "true"})
        return redirect_to_login(request.get_full_path(), reverse("admin:login"))

    return guarded


def at_step(step: WizardStep) -> Callable[[View], View]:
    """Let a page and its form act while its step is the next one, and never else.

    A form that is sent twice, or from a page one went back to, only leads on.
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
    """Lead to the step that is next, or out where there is none."""
    step = current_step()
    return redirect("admin:index" if step is None else f"welcome-{step}")
