"""The error that stops publishing; the command prints it and exits."""

from __future__ import annotations


class CannotPublishError(Exception):
    """The reason why publishing stops, and what to do."""
