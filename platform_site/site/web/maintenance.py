"""The middleware that answers during a maintenance; administrators can sign in and work."""

from __future__ import annotations

from typing import Any, Final

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _

from platform_site.accounts.services import is_administrator
from platform_site.maintenance import Maintenance, current_maintenance
from platform_site.middleware import Middleware, foreseen
from platform_site.site.api.middleware import is_api
from platform_site.site.api.problems import problem
from platform_site.site.web.errors import maintenance_page

_ALLOWED_PAGES: Final = frozenset({"admin:login", "admin:logout", "admin:jsi18n"})
# The ends of the paths of the API that work.
_ALLOWED_PATHS: Final = ("/Auth/login", "/Auth/refresh", "/Auth/logout")
_DETAILS: Final = "/health/details"


class MaintenanceMiddleware(Middleware):
    """The refusal of everything but the work of administrators on the pages."""

    def process_view(self, request: HttpRequest, *view: Any) -> HttpResponseBase | None:
        """Return the refusal, None where the request goes on."""
        maintenance = current_maintenance()
        if maintenance is None or _is_allowed(request):
            return None
        # Here it is known that the database is needed.
        if settings.SESSION_COOKIE_NAME in request.COOKIES and is_administrator(
            request.user
        ):
            return None
        return foreseen(_refusal(request, maintenance))


def _is_allowed(request: HttpRequest) -> bool:
    match = request.resolver_match
    if match is not None and match.view_name in _ALLOWED_PAGES:
        return True
    path = request.path_info
    return path == _DETAILS or (is_api(path) and path.endswith(_ALLOWED_PATHS))


def _refusal(request: HttpRequest, maintenance: Maintenance) -> HttpResponse:
    text = sentence_of(maintenance)
    again = {"Retry-After": str(maintenance.again_seconds)}
    if is_api(request.path_info):
        return problem("unavailable", text, headers=again)
    answer = maintenance_page(text)
    answer.headers["Retry-After"] = again["Retry-After"]
    return answer


def sentence_of(maintenance: Maintenance) -> str:
    """Return what people are told: the message of the operator, and the expected end."""
    text = maintenance.message or _("The site is being maintained.")
    if maintenance.until is None or maintenance.until <= timezone.now():
        return text
    end = date_format(timezone.localtime(maintenance.until), "SHORT_DATETIME_FORMAT")
    back = _("It is expected to be back on %(end)s.") % {"end": end}
    return f"{text} {back}"
