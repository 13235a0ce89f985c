"""The exception by which the host refuses to start; entry points print it and exit."""

from __future__ import annotations


class StartRefusedError(Exception):
    """Tell the operator in one sentence why the start is refused, and what to do."""
