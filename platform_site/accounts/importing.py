"""Tell the importer which time zone a user lives in (OPEN-28)."""

from __future__ import annotations

from typing import Any

from importer import registry


def zone_of(user: Any) -> str:
    """Return the zone of the user's profile, an empty text if there is none."""
    return str(getattr(user, "time_zone", ""))


registry.register_zone(zone_of)
