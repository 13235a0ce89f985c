"""The time zones a user may choose: names come in from forms, services and the API and
are looked up in the IANA database."""

from __future__ import annotations

import functools
import zoneinfo

from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _


@functools.cache
def time_zone_names() -> frozenset[str]:
    """Return the names of all zones; read once, since it opens every zone file."""
    return frozenset(zoneinfo.available_timezones())


def validate_time_zone(name: str) -> None:
    """Raise `ValidationError` unless `name` is a zone of the IANA database."""
    if name not in time_zone_names():
        raise ValidationError(
            _(
                "“%(name)s” is no known time zone; give an IANA name such as "
                "Europe/Berlin."
            ),
            code="unknown_time_zone",
            params={"name": name},
        )
