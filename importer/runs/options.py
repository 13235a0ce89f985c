"""How a run is to be done: what a caller may choose, and the zone its dates are read in."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, BinaryIO, Protocol
from uuid import UUID
from zoneinfo import ZoneInfo

from django.utils import timezone, translation

from importer import conf, registry
from importer.models import ImportRun
from importer.package.time_zones import named_zone
from importer.pipeline.run_settings import WINDOW

Progress = Callable[[str, int, int | None], None]


class Cancellation(Protocol):
    """A signal that stops a run between two objects; ``threading.Event`` will do."""

    def is_set(self) -> bool:
        """Return true once the run shall stop."""


@dataclass(frozen=True, slots=True)
class ImportOptions:
    """How to run a package (OPEN-65); ``window`` is for measuring and tests.

    With ``default_policies`` the policies its steps name have no say: each step has
    the defaults of its kind.

    ``started_via`` says how it was started, for the history of runs; without it the
    hook ``register_started_via`` answers.
    """

    dry_run: bool = False
    continue_on_error: bool = False
    run_id: UUID | None = None
    time_zone: str = ""
    window: int = WINDOW
    default_policies: bool = False
    started_via: ImportRun.StartedVia | None = None


@dataclass(frozen=True, slots=True)
class RunOrder:
    """Everything one run needs, wherever it is carried out.

    ``digest`` is the SHA-256 of the source where it is known, ``language`` that of the
    report's sentences.
    """

    run_id: UUID
    source: BinaryIO
    options: ImportOptions
    user: Any
    zone: ZoneInfo
    started_via: str = ""
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


def language_for(user: Any) -> str | None:
    """Return the language of the report: the user's own, else the caller's."""
    return registry.language_of(user) or translation.get_language()
