"""The maximum body size of a caller, requested by the server before it receives a large
body, from the head of the request alone."""

from __future__ import annotations

from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, Final

from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from rest_framework.exceptions import APIException
from rest_framework.views import APIView

from platform_site.files.admission import largest_upload, takes_uploads_at
from platform_site.middleware import Middleware
from platform_site.site.api.parsers import LARGEST_BODY
from platform_site.site.api.problems import problem

ADMISSION: Final = "platform.admission"


@dataclass(slots=True)
class Admission:
    """The result; without it the request has already been answered."""

    most_bytes: int | None = None


def is_admitted(request: HttpRequest) -> bool:
    """Return whether this was only the question, with a result."""
    asked: Admission | None = request.META.get(ADMISSION)
    return asked is not None and asked.most_bytes is not None


class AdmissionMiddleware(Middleware):
    """The handling of the server's question, which ends here.

    Earlier middlewares may have refused the request.
    """

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Handle a request, or the question about one."""
        asked: Admission | None = request.META.get(ADMISSION)
        if asked is None:
            return self._get_response(request)
        return _judged(request, asked)


def _judged(request: HttpRequest, asked: Admission) -> HttpResponse:
    try:
        user = _caller(request)
    except APIException as refusal:
        return problem("not-signed-in", str(refusal.detail))
    if not user.is_authenticated:
        if not request.path_info.startswith("/api/"):
            return redirect_to_login(request.path_info, reverse("admin:login"))
        return problem("not-signed-in", _("Sign in to send a request this large."))
    most = LARGEST_BODY
    if takes_uploads_at(request.path_info):
        most = largest_upload(request.path_info, user)
        if not most:
            sentence = _(
                "You don't have the right to upload files here; ask an administrator "
                "for it."
            )
            return problem("not-allowed", sentence)
    asked.most_bytes = most
    return HttpResponse(status=HTTPStatus.NO_CONTENT)


def _caller(request: HttpRequest) -> Any:
    # The CSRF token is in the body; the view checks it.
    request._dont_enforce_csrf_checks = True  # type: ignore[attr-defined]
    return APIView().initialize_request(request).user
