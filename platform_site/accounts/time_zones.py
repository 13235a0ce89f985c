"""The time zones that users may choose, those of the IANA database."""

from __future__ import annotations

from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from importer import did_you_mean
from importer import zone_names as time_zone_names

__all__ = ["time_zone_names", "validate_time_zone"]


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
