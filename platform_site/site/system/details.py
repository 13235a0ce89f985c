"""The path `/health/details`: every check of the installation, for administrators and for
those who have the key of the metrics. Over plain HTTP only the key is accepted, which
`/metrics` takes there too, and never the credentials of a person."""

from __future__ import annotations

from collections.abc import Sequence
from hmac import compare_digest
from http import HTTPStatus
from typing import Any, NoReturn

from django.contrib.auth.models import AnonymousUser
from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema
from rest_framework.authentication import BaseAuthentication, SessionAuthentication
from rest_framework.exceptions import NotAuthenticated
from rest_framework.permissions import BasePermission
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from platform_site.accounts.authentication import (
    ApiKeyAuthentication,
    BearerAuthentication,
)
from platform_site.accounts.services import is_administrator
from platform_site.middleware import foreseen
from platform_site.settings.configuration import active
from platform_site.site.system.health_checks import CheckState, health_checks, worst
from platform_site.site.web.https import is_plain


class Monitoring(AnonymousUser):
    """The caller with the key of the metrics: nobody with an account."""


class MonitoringKey(BaseAuthentication):
    """Authentication by ``Authorization: Bearer`` with ``Platform:Metrics:Key``; it needs
    no database."""

    def authenticate(self, request: Request) -> tuple[Monitoring, None] | None:
        """Return the caller, None without this key."""
        key = active().settings.text("Platform:Metrics:Key")
        given = request.headers.get("Authorization", "")
        if key and compare_digest(given.encode(), f"Bearer {key}".encode()):
            return Monitoring(), None
        return None


class MaySeeDetails(BasePermission):
    """The permission of administrators and of the monitoring."""

    def has_permission(self, request: Request, view: Any) -> bool:
        """Return whether the caller is one of them."""
        caller: Any = request.user
        return isinstance(caller, Monitoring) or is_administrator(caller)


@extend_schema(exclude=True)
class HealthDetailsView(APIView):
    """The checks of the installation."""

    authentication_classes: Sequence[type[BaseAuthentication]] = (
        MonitoringKey,
        BearerAuthentication,
        ApiKeyAuthentication,
        SessionAuthentication,
    )
    permission_classes = (MaySeeDetails,)

    def get_authenticators(self) -> list[BaseAuthentication]:
        """Return the ways to sign in that the connection is good enough for."""
        if is_plain(self.request):
            return [MonitoringKey()]
        return super().get_authenticators()

    def permission_denied(
        self, request: Request, message: str | None = None, code: str | None = None
    ) -> NoReturn:
        """Refuse a caller, over plain HTTP with what to send or use instead."""
        if is_plain(request):
            sentence = _(
                "Over plain HTTP only the key of the metrics (Platform:Metrics:Key) is "
                "accepted here; send it, or use HTTPS."
            )
            raise NotAuthenticated(sentence)
        super().permission_denied(request, message, code)

    def get(self, request: Request) -> Response:
        """Return 503 if something prevents serving, and 200 otherwise."""
        checks = health_checks()
        state = worst(checks)
        vital = [check for check in checks if check.name in ("database", "disk")]
        body = {
            "status": state.value,
            "checks": [
                {
                    "name": check.name,
                    "status": check.state.value,
                    "sentence": str(check.sentence),
                }
                for check in checks
            ],
        }
        is_bad = worst(vital) is CheckState.PROBLEM
        answer = Response(
            body,
            status=HTTPStatus.SERVICE_UNAVAILABLE if is_bad else HTTPStatus.OK,
            headers={"Cache-Control": "no-store"},
        )
        # The answer has the reasons, and a monitoring asks again and again.
        foreseen(answer)
        return answer
