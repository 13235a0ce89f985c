"""The context that marks runs as started by a data processor."""

from __future__ import annotations

from contextlib import AbstractContextManager
from contextvars import ContextVar

from importer.models import ImportRun
from platform_site.changes.services import ChangeOrigin, current
from platform_site.context_values import assigned

_executing: ContextVar[bool] = ContextVar("platform_executing", default=False)


def executing() -> AbstractContextManager[bool]:
    """Mark runs inside the block as started by a data processor."""
    return assigned(_executing, True)  # noqa: FBT003 - its value


def started_via() -> str:
    """Return how a run begun here was started, empty outside of processors."""
    if current().origin is ChangeOrigin.SCHEDULED_JOB:
        return ImportRun.StartedVia.JOB
    return ImportRun.StartedVia.PROCESSOR if _executing.get() else ""
