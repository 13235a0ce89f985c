"""The exception by which publishing stops; the command prints it and exits."""

from __future__ import annotations


class CannotPublishError(Exception):
    """Tell in one sentence what is missing for a publish, and what to do."""
