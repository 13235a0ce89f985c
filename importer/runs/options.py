"""The options of a run: what a caller can choose, and the time zone of its dates."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, BinaryIO, Protocol
from uuid import UUID
from zoneinfo import ZoneInfo

from django.utils import timezone, translation

from importer import conf, registry
from importer.models import ImportRun
from importer.package.time_zones import named_zone
from importer.pipeline.run_settings import WINDOW


class Cancellation(Protocol):
    """A signal that stops a run between two objects, such as ``threading.Event``."""

    def is_set(self) -> bool:
        """Return whether the run should stop."""


@dataclass(frozen=True, slots=True)
class ImportOptions:
    """The options of a run (OPEN-65); ``window`` is for measurements and tests.

    With ``default_policies`` each step has the default policies of its kind.
    ``started_via`` is stored in the history: an ``ImportRun.StartedVia``, and after a
    colon the key of what starts the run. Without it the hook ``register_started_via``
    decides.
    """

    dry_run: bool = False
    continue_on_error: bool = False
    run_id: UUID | None = None
    time_zone: str = ""
    window: int = WINDOW
    default_policies: bool = False
    started_via: str = ""


@dataclass(frozen=True, slots=True)
class ImportedTable:
    """The table that a package was made from: the file, and the description by which it
    was read, as JSON has it."""

    file: BinaryIO
    description: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class RunOrder:
    """Everything that an engine needs to carry out a run.

    ``digest`` is the SHA-256 of the source if known, ``language`` that of the report.
    After a colon, ``started_via`` has the key of what starts the run, such as a job.
    ``based_on`` is the dry run of a plan, the run whose kept rows were decided about,
    or the undone run; ``chosen`` are the ids that a decision is about. The source of an
    undo is empty. ``is_queued`` marks an order whose run is stored already and leaves the
    queue when it begins. ``table`` is what the source was made from, if it was a table.
    """

    run_id: UUID
    source: BinaryIO
    options: ImportOptions
    user: Any
    zone: ZoneInfo
    started_via: str = ""
    digest: str = ""
    language: str | None = None
    kind: ImportRun.Kind = ImportRun.Kind.PACKAGE
    based_on: ImportRun | None = None
    chosen: frozenset[str] | None = None
    is_queued: bool = False
    table: ImportedTable | None = None

    @property
    def log_fields(self) -> dict[str, str]:
        """Return run and user for log lines, where no context has them yet."""
        return {"run_id": str(self.run_id), "user_name": self.user.get_username()}

    def close(self) -> None:
        """Close the source and the table."""
        self.source.close()
        if self.table is not None:
            self.table.file.close()


def zone_for(options: ImportOptions, user: Any) -> ZoneInfo:
    """Return the zone for tokens: that of the option, else the caller's active one, the
    user's or the installation's (OPEN-28). Raise UnknownTimeZone for a wrong name."""
    active = timezone.get_current_timezone()
    if not options.time_zone and active != timezone.get_default_timezone():
        return ZoneInfo(str(active))
    return named_zone(
        options.time_zone or registry.zone_of(user) or conf.setting("TIME_ZONE")
    )


def language_for(user: Any) -> str | None:
    """Return the language of the report: the user's, else the caller's."""
    return registry.language_of(user) or translation.get_language()
