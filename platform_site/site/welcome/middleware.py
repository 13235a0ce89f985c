"""The middleware in front of the start page: until a new installation is set up, it
redirects `admin` to the wizard."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import redirect

from platform_site.accounts.models import User
from platform_site.middleware import Middleware
from platform_site.site.welcome.steps import leads_here
from platform_site.site.welcome.views import LATER


class WelcomeMiddleware(Middleware):
    """The redirect to the wizard for those who should see it (see `steps.leads_here`)."""

    def process_view(self, request: HttpRequest, *view: Any) -> HttpResponseBase | None:
        """Redirect instead of showing the start page."""
        match = request.resolver_match
        if match is None or match.view_name != "admin:index":
            return None
        user = request.user
        if not isinstance(user, User) or request.session.get(LATER):
            return None
        return redirect("welcome") if leads_here(user) else None
