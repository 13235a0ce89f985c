"""How a run was started that begins while a data processor is at work."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from importer.models import ImportRun
from platform_site.changes.services import ChangeOrigin, current

_executing: ContextVar[bool] = ContextVar("platform_executing", default=False)


@contextmanager
def executing() -> Iterator[None]:
    """Take what begins inside the block for the work of a data processor."""
    token = _executing.set(True)
    try:
        yield
    finally:
        _executing.reset(token)


def started_via() -> str:
    """Return how a run begun here was started, empty if no processor is at work."""
    if current().origin is ChangeOrigin.SCHEDULED_JOB:
        return ImportRun.StartedVia.JOB
    return ImportRun.StartedVia.PROCESSOR if _executing.get() else ""
