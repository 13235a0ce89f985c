"""The public face of the importer: run packages, and read what became of them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO
from uuid import UUID, uuid4

from django.db import DatabaseError
from django.db.models import QuerySet
from django.utils import translation
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from importer import registry
from importer.models import AppliedPackage, ImportRun
from importer.package.shapes import ItemResult
from importer.package.zones import UnknownTimeZone
from importer.pipeline.report import Report
from importer.runs import background, dry_runs, history, reading, running
from importer.runs.execution import execute
from importer.runs.failures import is_out_of_space
from importer.runs.history import RunExists
from importer.runs.lock import ImportInProgress, LockUnusable, import_lock
from importer.runs.narrowing import Narrowing
from importer.runs.options import (
    Cancellation,
    ImportOptions,
    Progress,
    RunOrder,
    zone_for,
)
from importer.runs.readers import (
    NotYourRun,
    UnknownRun,
    may_read,
    readable_run,
    run_links,
)
from importer.runs.reading import (
    RECENT,
    ListedPackage,
    counts_of,
    problems_of,
    rate_of,
    up_to_date,
)
from importer.runs.running import EngineStopped, is_importing_here
from importer.runs.unstored import unstored_runs
from importer.sources import EmbeddedPackage, embedded_package, embedded_packages

__all__ = [
    "AppliedPackage",
    "DryRunNeeded",
    "EmbeddedPackage",
    "EngineStopped",
    "ImportInProgress",
    "ImportOptions",
    "ListedPackage",
    "LockUnusable",
    "NotRunning",
    "NotYourRun",
    "Report",
    "RunExists",
    "UnknownRun",
    "UnknownTimeZone",
    "can_cancel",
    "cancel_run",
    "clean_dry_run",
    "counts_of",
    "embedded_package",
    "embedded_packages",
    "end_what_died",
    "get_report",
    "get_run",
    "import_lock",
    "import_package",
    "is_importing_here",
    "is_out_of_space",
    "list_packages",
    "list_runs",
    "mark_interrupted_runs",
    "may_read",
    "package_schema",
    "problems_of",
    "rate_of",
    "readable_run",
    "report_entries",
    "run_links",
    "running_run",
    "start_run",
    "stop_runs",
    "unstored_runs",
    "up_to_date",
]
Source = BinaryIO | Path | EmbeddedPackage


class DryRunNeeded(Exception):
    """Say that a package must be run dry before it may be imported (OPEN-57)."""

    def __init__(self) -> None:
        super().__init__(
            _(
                "Nothing was imported. Start a dry run of exactly this package first;"
                " you can import it as soon as your dry run has found no errors."
            )
        )


class NotRunning(Exception):
    """Say why a run cannot be stopped."""


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
    order = RunOrder(
        run_id=options.run_id or uuid4(),
        source=stream,
        options=options,
        user=user,
        zone=zone_for(options, user),
        door=options.door or registry.door(),
        language=_language_for(user),
    )
    return execute(order, cancellation=cancellation, progress=progress)


def start_run(
    source: Source,
    options: ImportOptions = ImportOptions(),
    *,
    user: Any,
    after_dry_run: bool = False,
) -> UUID:
    """Run a package in the background, as a user, and return the run's identifier
    once it runs (IMP-284, IMP-285).

    With ``after_dry_run`` the user's last dry run of the same bytes must have found no
    errors, else DryRunNeeded is raised (OPEN-57). The source is copied first and may be closed afterwards. Raises what
    ``import_package`` raises, EngineStopped while the server stops, and OSError where
    the source cannot be copied.
    """
    zone = zone_for(options, user)
    if isinstance(source, EmbeddedPackage):
        source = source.path
    if isinstance(source, Path):
        with source.open("rb") as file:
            copy, digest = background.copied(file)
    else:
        copy, digest = background.copied(source)
    if after_dry_run and clean_dry_run(user, digest) is None:
        copy.close()
        raise DryRunNeeded
    order = RunOrder(
        run_id=options.run_id or uuid4(),
        source=copy,
        options=options,
        user=user,
        zone=zone,
        door=options.door or registry.door(),
        digest=digest,
        language=_language_for(user),
    )
    background.engine().start(order)
    return order.run_id


def _language_for(user: Any) -> str | None:
    """Return the language of the report: the user's own, else the caller's."""
    return registry.language_of(user) or translation.get_language()


def cancel_run(run_id: UUID) -> None:
    """Ask a run to stop between two objects; UnknownRun, or NotRunning with the reason."""
    if background.engine().cancel(run_id):
        return
    run = get_run(run_id)
    if run is None:
        raise UnknownRun(run_id)
    if run.status != ImportRun.Status.RUNNING:
        raise NotRunning(_("The run %(run)s has already ended.") % {"run": run_id})
    raise NotRunning(
        _(
            "The run %(run)s can't be stopped here: it is about to end, or it was "
            "started by a command, which is stopped where it runs."
        )
        % {"run": run_id}
    )


def can_cancel(run_id: UUID) -> bool:
    """Tell whether a run goes on in this process, where it can be stopped."""
    return running.is_running(run_id)


def stop_runs(*, wait_seconds: float = 0) -> None:
    """Stop the runs of this process and let no more begin; it is about to end.

    Each stops between two objects and ends as Interrupted; repeated, it goes on there.
    """
    background.engine().shutdown(wait_seconds)


def get_run(run_id: UUID) -> ImportRun | None:
    """Return a run of the history or a dry run still remembered, None if neither."""
    return reading.find_run(run_id)


def get_report(run_id: UUID) -> Report | None:
    """Return the whole report of a run, None while it runs or if there is none."""
    run = get_run(run_id)
    if run is None or run.status == ImportRun.Status.RUNNING:
        return None
    return reading.whole_report(run)


def report_entries(
    run_id: UUID,
    *,
    outcome: str = "",
    search: str = "",
    offset: int = 0,
    limit: int | None = None,
) -> Iterator[ItemResult]:
    """Yield entries of a report, narrowed; UnknownRun if there is no such run.

    No more of the report is read than the wanted entries lie in. Of a run that goes on
    these are the entries so far, up to about a second ago.
    """
    run = get_run(run_id)
    if run is None:
        raise UnknownRun(run_id)
    return reading.entries_of(run, Narrowing(outcome, search, offset, limit))


def list_runs(package: str | None = None, limit: int = RECENT) -> QuerySet[ImportRun]:
    """Return the newest runs of the history, of one package or of all (OPEN-49)."""
    return reading.recent_runs(package, limit)


def running_run() -> ImportRun | None:
    """Return the run that goes on, real or dry, None if none does (OPEN-47).

    A dry run is seen by the process that carries it out alone.
    """
    return reading.running_run()


def list_packages() -> list[ListedPackage]:
    """Return the embedded packages, each with the version last applied (IMP-253)."""
    return reading.packages()


def clean_dry_run(user: Any, digest: str) -> ImportRun | None:
    """Return a user's last dry run of a source if it found no errors (OPEN-57).

    ``digest`` is the SHA-256 of the source's bytes, in hexadecimal digits.
    """
    run = dry_runs.latest(user, digest)
    completed = run is not None and run.status == ImportRun.Status.COMPLETED
    return run if completed and run is not None and not run.has_errors else None


def mark_interrupted_runs() -> int:
    """Mark the runs a dead process left behind, and say how many; none during a run."""
    try:
        with import_lock("the platform", gettext_noop("a check for interrupted runs")):
            return history.mark_interrupted()
    except ImportInProgress:
        return 0


def end_what_died() -> None:
    """Let no run be told as going on whose process has died."""
    run = running_run()
    if run and not can_cancel(run.run_id):
        with suppress(LockUnusable, DatabaseError):  # whoever starts a run hears of it
            mark_interrupted_runs()


def package_schema() -> dict[str, Any]:
    """Return the JSON Schema of all packages of this installation (OPEN-58)."""
    return registry.catalogue().schema
