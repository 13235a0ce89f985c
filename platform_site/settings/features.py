"""Feature flags, for code that an operator may switch on or off; the product itself
defines none."""

from __future__ import annotations

from django.conf import settings


def feature_enabled(name: str, *, default: bool = False) -> bool:
    """Tell what `FeatureManagement:<name>` says, or the default where it is not set.

    Letter case makes no difference, as in every setting (OPEN-118).
    """
    flags: dict[str, bool] = settings.PLATFORM_FEATURES
    return flags.get(name.casefold(), default)
