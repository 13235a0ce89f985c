"""The time zones of users: those of the IANA database, and which is whose."""

from __future__ import annotations

from typing import Any
from zoneinfo import ZoneInfo

from django.conf import settings
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from importer import did_you_mean
from importer import zone_names as time_zone_names

__all__ = ["time_zone_names", "validate_time_zone", "zone_of"]


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
