"""By which door a run comes that a data processor begins: the history of runs shows it."""

from __future__ import annotations

from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING

from importer.models import ImportRun
from platform_site.changes.services import Origin, current

if TYPE_CHECKING:
    from collections.abc import Iterator

_executing: ContextVar[bool] = ContextVar("platform_executing", default=False)


@contextmanager
def executing() -> Iterator[None]:
    """Take what begins inside the block for the work of a data processor."""
    token = _executing.set(True)
    try:
        yield
    finally:
        _executing.reset(token)


def door() -> str:
    """Return the door of a run begun here, empty where no processor is at work."""
    if current().origin is Origin.SCHEDULED_JOB:
        return ImportRun.Door.JOB
    return ImportRun.Door.PROCESSOR if _executing.get() else ""
