"""The exceptions for wrong settings and refused starts; entry points print them and
exit."""

from __future__ import annotations


class SettingsError(Exception):
    """A wrong setting: which one, where it is set, and what it must be."""


class StartRefusedError(Exception):
    """The refusal of a start: the reason, and what the operator can do."""


class WrongCallError(StartRefusedError):
    """The refusal of a command here: the reason, and which one to use."""
