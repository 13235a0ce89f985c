"""The caller's time zone, for dates without a time."""

from __future__ import annotations

from typing import Final
from zoneinfo import ZoneInfo

from django.conf import settings
from django.utils import timezone
from drf_spectacular.utils import OpenApiParameter
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request

from importer import UnknownTimeZone, named_zone

HEADER: Final = "X-Time-Zone"
ZONE_PARAMETER: Final = OpenApiParameter(
    HEADER,
    str,
    OpenApiParameter.HEADER,
    description="Time zone of dates without a time; by default that of the account.",
)


def in_callers_zone(request: Request) -> None:
    """Activate the zone of the header, the profile or the installation.

    It stays active until the end of the request. Raise ValidationError for an unknown
    zone.
    """
    given = request.headers.get(HEADER, "")
    own = getattr(request.user, "time_zone", "") or settings.PLATFORM_TIME_ZONE
    try:
        timezone.activate(named_zone(given) if given else ZoneInfo(own))
    except UnknownTimeZone as unknown:
        raise ValidationError({HEADER: [str(unknown)]}) from None
