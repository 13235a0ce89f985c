"""The options of a run and its callbacks."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from importer.pipeline.plan import Plan
from importer.pipeline.survey import PackageCheck

WINDOW = 1000
Progress = Callable[[str, int, int | None], None]


class Cancelled(Exception):
    """The end of a run that was asked to stop between two objects."""


class RunSettings(msgspec.Struct, frozen=True):
    """The options that the caller chose, and the functions that the run calls.

    With a ``plan`` nothing else is written; ``chosen`` are the ids of the only objects
    to import, which then take precedence over whatever their rows have.
    """

    dry_run: bool
    continue_on_error: bool
    default_policies: bool = False
    window: int = WINDOW
    progress: Progress = lambda stage, done, total: None
    cancelled: Callable[[], bool] = lambda: False
    yield_to_requests: Callable[[], None] = lambda: None
    checks: tuple[PackageCheck, ...] = ()
    plan: Plan | None = None
    chosen: frozenset[str] | None = None

    @property
    def stops_at_errors(self) -> bool:
        """Return whether the first failed object ends the run."""
        return not (self.continue_on_error or self.dry_run or self.plan is not None)

    def stop_if_cancelled(self) -> None:
        """Raise Cancelled if the run has been asked to stop."""
        if self.cancelled():
            raise Cancelled
