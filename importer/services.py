"""The public face of the importer: run a package, read the history, print the schema."""

from __future__ import annotations

import copy
import logging
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, BinaryIO, Protocol
from uuid import UUID, uuid4
from zoneinfo import ZoneInfo

from django.contrib.auth import get_user_model
from django.db import DatabaseError
from django.utils import timezone

from importer import conf, registry
from importer.models import AppliedPackage, ImportRun
from importer.package import paths
from importer.package.shapes import Header, PackageError, error
from importer.package.tokens import Moment
from importer.pipeline.report import Gathering, Report
from importer.pipeline.run import WINDOW, Cancelled, Pipeline, Settings
from importer.runs import history
from importer.runs.durability import relaxed
from importer.runs.history import Record, RunExists
from importer.runs.lock import ImportInProgress, LockUnusable, import_lock
from importer.sources import EmbeddedPackage, embedded_package, embedded_packages

__all__ = [
    "AppliedPackage",
    "EmbeddedPackage",
    "ImportInProgress",
    "ImportOptions",
    "LockUnusable",
    "Report",
    "RunExists",
    "UnknownTimeZone",
    "embedded_package",
    "embedded_packages",
    "get_report",
    "get_run",
    "import_package",
    "mark_interrupted_runs",
    "package_schema",
]
logger = logging.getLogger("platform.importer")
Status = ImportRun.Status
Progress = Callable[[str, int, int | None], None]
_IN_MEMORY = 1 << 23


class Cancellation(Protocol):
    """Tell a run to stop between two objects; ``threading.Event`` will do."""

    def is_set(self) -> bool:
        """Return true once the run shall stop."""


class UnknownTimeZone(ValueError):
    """Say that a time zone's name is not known."""


@dataclass(frozen=True, slots=True)
class ImportOptions:
    """Say how to run a package (OPEN-65); ``window`` is for measuring and tests."""

    dry_run: bool = False
    continue_on_error: bool = False
    run_id: UUID | None = None
    time_zone: str = ""
    window: int = WINDOW


def import_package(
    stream: BinaryIO,
    options: ImportOptions = ImportOptions(),
    *,
    user: Any,
    cancellation: Cancellation | None = None,
    progress: Progress = lambda stage, done, total: None,
) -> Report:
    """Run a package now, as a user, and return the report (IMP-280 to IMP-283).

    Raises ImportInProgress while another import runs, LockUnusable, UnknownTimeZone,
    RunExists, and DatabaseError where not even the record of the run can be written.
    Whatever is wrong with the package is in the report, not an exception.
    """
    zone = _zone(options, user)
    run_id = options.run_id or uuid4()
    what = "a dry run" if options.dry_run else "an import"
    with import_lock(user.get_username(), what), _seekable(stream) as source:
        history.mark_interrupted()
        if options.run_id and options.dry_run:
            history.refuse_known(run_id)
        run = _Run(
            run_id, options, user, zone, cancellation=cancellation, progress=progress
        )
        return run.run(source)


def _zone(options: ImportOptions, user: Any) -> ZoneInfo:
    """Choose the zone of the tokens: the option's, the caller's active one, the
    user's, the installation's (OPEN-28)."""
    active = timezone.get_current_timezone()
    if not options.time_zone and active != timezone.get_default_timezone():
        return ZoneInfo(str(active))
    name = options.time_zone or registry.zone_of(user) or conf.setting("TIME_ZONE")
    try:
        return ZoneInfo(name)
    except (ValueError, OSError, LookupError):
        raise UnknownTimeZone(f'There is no time zone "{name}".') from None


@contextmanager
def _seekable(stream: BinaryIO) -> Iterator[BinaryIO]:
    """Offer a stream that can be read twice: the very one, or a temporary copy."""
    if stream.seekable():
        yield stream
        return
    with tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY) as whole:
        shutil.copyfileobj(stream, whole)
        yield whole  # type: ignore[misc]


class _Run:
    """Carry one run from its record to its report."""

    def __init__(
        self,
        run_id: UUID,
        options: ImportOptions,
        user: Any,
        zone: ZoneInfo,
        *,
        cancellation: Cancellation | None,
        progress: Progress,
    ) -> None:
        self._run_id = run_id
        self._options = options
        self._user = user
        self._moment = Moment(timezone.now(), zone)
        self._cancellation = cancellation
        self._progress = progress
        self._record = (
            None
            if options.dry_run
            else Record(
                run_id, user, zone.key, continue_on_error=options.continue_on_error
            )
        )
        keep = self._record.keep if self._record else lambda chunk: None
        self._gathering = Gathering(keep)

    def run(self, source: BinaryIO) -> Report:
        """Run, and store the end whatever it is."""
        options = self._options
        pipeline = Pipeline(
            source,
            registry.catalogue(),
            registry.targets(),
            Settings(
                options.dry_run,
                options.continue_on_error,
                options.window,
                self._report_progress,
                self._cancellation.is_set if self._cancellation else _never,
            ),
            self._gathering,
        )
        # A bare date of a package means midnight in the zone of the run.
        with relaxed(), timezone.override(self._moment.zone):
            status = self._status(pipeline)
            pipeline.note_not_reached()
            self._gathering.flush()
        report = self._gathering.report(self._run_id, status, dry_run=options.dry_run)
        if self._record:
            # On a durable connection again: this write carries all before it.
            self._record.finish(report, len(pipeline.memory))
        return report

    def _status(self, pipeline: Pipeline) -> str:
        try:
            header = pipeline.read()
            if self._record:
                self._record.name(header)
            if pipeline.refused():
                return Status.FAILED
            with registry.surrounding(self._context(header)):
                done = pipeline.apply(header, self._moment, self._user, _refreshed)
        except PackageError as refusal:
            for diagnostic in refusal.diagnostics:
                self._gathering.say(diagnostic)
            return Status.FAILED
        except Cancelled:
            return Status.INTERRUPTED
        except Exception as failure:  # a run always ends with a report
            logger.exception("Run %s ended unexpectedly", self._run_id)
            self._gathering.say(error(paths.WHOLE, _unexpected(failure)))
            return Status.FAILED
        return Status.COMPLETED if done else Status.FAILED

    def _context(self, header: Header) -> registry.RunContext:
        return registry.RunContext(
            run_id=self._run_id,
            user=self._user,
            origin=header.origin,
            package=header.package,
            dry_run=self._options.dry_run,
        )

    def _report_progress(self, stage: str, done: int, total: int | None) -> None:
        if self._record:
            self._record.progress(self._gathering.done, total)
        self._progress(stage, done, total)


def _unexpected(failure: Exception) -> str:
    if isinstance(failure, DatabaseError):
        reason = str(failure).strip().split("\n")[0]
        return f"the database failed: {reason}"
    return "the run ended unexpectedly; the log of the server says where"


def _never() -> bool:
    return False


def _refreshed(user: Any) -> Any:
    """Return the user as the database has it now, with rights not yet looked up.

    Of a user who was deleted meanwhile only the name is left.
    """
    plain = get_user_model()
    # A proxy of the model may have rights of its own.
    model = user.__class__ if isinstance(user, plain) else plain
    fresh = model._default_manager.filter(pk=user.pk).first()
    if fresh is None:
        fresh = copy.copy(user)
        fresh.pk, fresh.is_active = None, False
    return fresh


def get_run(run_id: UUID) -> ImportRun | None:
    """Return a run of the history, None if there is none."""
    return ImportRun.objects.filter(pk=run_id).first()


def get_report(run_id: UUID) -> Report | None:
    """Return the stored report of a run, None while it runs or if there is none."""
    run = get_run(run_id)
    if run is None or run.status == Status.RUNNING:
        return None
    return history.stored_report(run)


def mark_interrupted_runs() -> int:
    """Mark the runs a dead process left behind, and say how many they were.

    While an import runs there is nothing to mark.
    """
    try:
        with import_lock("the platform", "a look at interrupted runs"):
            return history.mark_interrupted()
    except ImportInProgress:
        return 0


def package_schema() -> dict[str, Any]:
    """Return the JSON Schema of all packages of this installation (OPEN-58)."""
    return registry.catalogue().schema
