"""The exceptions by which the host refuses; entry points print them and exit."""

from __future__ import annotations


class StartRefusedError(Exception):
    """Tell the operator in one sentence why the start is refused, and what to do."""


class WrongCallError(StartRefusedError):
    """Tell the operator that this command is not for this place, and what is."""
