"""How a run is to be done: what a caller may choose, and the zone its dates are read in."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, BinaryIO, Protocol
from uuid import UUID
from zoneinfo import ZoneInfo

from django.utils import timezone

from importer import conf, registry
from importer.models import ImportRun
from importer.package.zones import named_zone
from importer.pipeline.settings import WINDOW

Progress = Callable[[str, int, int | None], None]


class Cancellation(Protocol):
    """Tell a run to stop between two objects; ``threading.Event`` will do."""

    def is_set(self) -> bool:
        """Return true once the run shall stop."""


@dataclass(frozen=True, slots=True)
class ImportOptions:
    """Say how to run a package (OPEN-65); ``window`` is for measuring and tests.

    With ``default_policies`` the policies its steps name have no say: each step has
    the defaults of its kind.

    ``door`` says by which way it came, for the history of runs; who does not say it
    leaves that to the hook ``register_door``.
    """

    dry_run: bool = False
    continue_on_error: bool = False
    run_id: UUID | None = None
    time_zone: str = ""
    window: int = WINDOW
    default_policies: bool = False
    door: ImportRun.Door | None = None


@dataclass(frozen=True, slots=True)
class RunOrder:
    """Hold everything one run needs, wherever it is carried out.

    ``digest`` is the SHA-256 of the source where it is known, ``language`` that of the
    report's sentences.
    """

    run_id: UUID
    source: BinaryIO
    options: ImportOptions
    user: Any
    zone: ZoneInfo
    door: str = ""
    digest: str = ""
    language: str | None = None


def zone_for(options: ImportOptions, user: Any) -> ZoneInfo:
    """Choose the zone of the tokens: the option's, the caller's active one, the
    user's, the installation's (OPEN-28). UnknownTimeZone for a wrong name."""
    active = timezone.get_current_timezone()
    if not options.time_zone and active != timezone.get_default_timezone():
        return ZoneInfo(str(active))
    return named_zone(
        options.time_zone or registry.zone_of(user) or conf.setting("TIME_ZONE")
    )
