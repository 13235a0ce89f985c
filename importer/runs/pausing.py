"""The pause of background runs, for a reason that the project has: new ones are refused, and
queued ones wait."""

from __future__ import annotations

from collections.abc import Callable

_reasons: list[Callable[[], str]] = []


def pause_runs_while(reason: Callable[[], str]) -> None:
    """Register what returns why no background run may start now, empty if it may."""
    _reasons.append(reason)


def pause_reason() -> str:
    """Return why no background run may start now, empty if it may."""
    return next(filter(None, (reason() for reason in _reasons)), "")
