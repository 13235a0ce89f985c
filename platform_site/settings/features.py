"""Feature flags for code that operators can switch; the platform itself defines
none."""

from __future__ import annotations

from django.conf import settings


def feature_enabled(name: str, *, default: bool = False) -> bool:
    """Return the value of `FeatureManagement:<name>`, or the default if it is not set.

    Names are case-insensitive, as in every setting (OPEN-118).
    """
    flags: dict[str, bool] = settings.PLATFORM_FEATURES
    return flags.get(name.casefold(), default)
