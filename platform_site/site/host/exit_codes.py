"""Which status a refusal of the host ends the process with."""

from __future__ import annotations

from django.core.exceptions import ImproperlyConfigured

from importer.commands import FAILED, WRONG_CALL, WRONG_SETTINGS
from platform_site.settings.errors import SettingsError, WrongCallError


def exit_code(refusal: Exception) -> int:
    """Return the status for a refusal; what may pass by itself is an ordinary failure."""
    if isinstance(refusal, SettingsError | ImproperlyConfigured):
        return WRONG_SETTINGS
    return WRONG_CALL if isinstance(refusal, WrongCallError) else FAILED
