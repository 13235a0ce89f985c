"""The exit codes for refusals of the host."""

from __future__ import annotations

from django.core.exceptions import ImproperlyConfigured

from importer.commands import FAILED, WRONG_CALL, WRONG_SETTINGS
from platform_site.settings.errors import SettingsError, WrongCallError


def exit_code(refusal: Exception) -> int:
    """Return the exit code of a refusal; temporary ones are ordinary failures."""
    if isinstance(refusal, SettingsError | ImproperlyConfigured):
        return WRONG_SETTINGS
    return WRONG_CALL if isinstance(refusal, WrongCallError) else FAILED
