"""The one exception a wrong setting raises; entry points print it and exit."""

from __future__ import annotations


class SettingsError(Exception):
    """A wrong setting: which one, where it is set, and what it must be."""


class StartRefusedError(Exception):
    """The reason why the start is refused, and what the operator can do about it."""


class WrongCallError(StartRefusedError):
    """The reason why a command cannot be used here, and which one can."""
