"""The context that tells which data processor or job starts runs."""

from __future__ import annotations

from contextlib import AbstractContextManager
from contextvars import ContextVar

from platform_site.context_values import assigned

_starter: ContextVar[str] = ContextVar("platform_starter", default="")


def starting_runs(starter: str) -> AbstractContextManager[str]:
    """Mark runs inside the block as started by a processor or a job: how, and its key
    after a colon. What is outside prevails: a job executes a processor."""
    return assigned(_starter, _starter.get() or starter)


def started_via() -> str:
    """Return how a run begun here was started and by what, empty outside of
    processors."""
    return _starter.get()
