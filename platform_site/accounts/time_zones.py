"""The time zones of users: those of the IANA database, which is whose, and the one in which
a user sees times on pages."""

from __future__ import annotations

from typing import Any
from zoneinfo import ZoneInfo

from django.conf import settings
from django.core.exceptions import ValidationError
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from importer import did_you_mean, zone_names as time_zone_names
from platform_site.middleware import Middleware

__all__ = ["TimeZoneMiddleware", "time_zone_names", "validate_time_zone", "zone_of"]


def validate_time_zone(name: str) -> None:
    """Raise `ValidationError` unless `name` is a zone of the IANA database."""
    if name not in time_zone_names():
        raise ValidationError(
            _(
                "“%(name)s” isn't a known time zone; give an IANA name such as "
                "Europe/Berlin.%(hint)s"
            ),
            code="unknown_time_zone",
            params={
                "name": name,
                "hint": did_you_mean(name, time_zone_names(), sentence=True),
            },
        )


def zone_of(user: Any) -> ZoneInfo:
    """Return the zone of the user's profile, else that of the installation."""
    return ZoneInfo(user.time_zone or settings.PLATFORM_TIME_ZONE)


class TimeZoneMiddleware(Middleware):
    """The middleware in which times are shown and read in the signed-in user's zone.

    Whatever zone a view activates, such as that of an API's caller, ends with it.
    """

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Handle the request; one without a session cookie doesn't load a session."""
        with timezone.override(self._zone_of(request)):
            return self._get_response(request)

    @staticmethod
    def _zone_of(request: HttpRequest) -> ZoneInfo | None:
        if settings.SESSION_COOKIE_NAME not in request.COOKIES:
            return None
        own: str = getattr(request.user, "time_zone", "")
        return ZoneInfo(own or settings.PLATFORM_TIME_ZONE)
