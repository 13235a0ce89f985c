"""The importer hooks that concern users: time zone, language, and the right to
import."""

from __future__ import annotations

from typing import Any

from importer import registry
from platform_site.accounts.languages import language_of
from platform_site.accounts.services import is_administrator


def zone_of(user: Any) -> str:
    """Return the time zone of the user's profile, an empty text if there is none
    (OPEN-28)."""
    return str(getattr(user, "time_zone", ""))


registry.register_zone(zone_of)
registry.register_language(language_of)
registry.register_may_import(is_administrator)
