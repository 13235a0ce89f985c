"""How a run is to be done, and how it speaks to the outside."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from importer.pipeline.survey import PackageCheck

WINDOW = 1000
Progress = Callable[[str, int, int | None], None]


class Cancelled(Exception):
    """The run was asked to stop between two objects."""


class Settings(msgspec.Struct, frozen=True):
    """What a caller chose for a run, and the functions the run calls on its way."""

    dry_run: bool
    continue_on_error: bool
    default_policies: bool = False
    window: int = WINDOW
    progress: Progress = lambda stage, done, total: None
    cancelled: Callable[[], bool] = lambda: False
    give_way: Callable[[], None] = lambda: None
    checks: tuple[PackageCheck, ...] = ()

    @property
    def stops_at_errors(self) -> bool:
        """Tell whether the first failed object ends the run."""
        return not (self.continue_on_error or self.dry_run)

    def stop_if_cancelled(self) -> None:
        """Raise Cancelled once the run shall stop."""
        if self.cancelled():
            raise Cancelled
