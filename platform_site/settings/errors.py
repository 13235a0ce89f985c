"""The one exception a wrong setting raises; entry points print it and exit."""

from __future__ import annotations


class SettingsError(Exception):
    """Tell the operator in one sentence which setting is wrong, and where it stands."""
