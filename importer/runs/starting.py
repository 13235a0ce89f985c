"""The start of runs: now in the calling thread, or in the background."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Any, BinaryIO
from uuid import UUID, uuid4
from zoneinfo import ZoneInfo

from django.utils.translation import gettext as _

from importer import registry
from importer.models import ImportRun
from importer.package.shapes import WRITTEN
from importer.pipeline.report import Report
from importer.pipeline.run_settings import Progress
from importer.runs import background, kept_packages, reading
from importer.runs.dry_runs import clean_dry_run
from importer.runs.execution import execute
from importer.runs.options import (
    Cancellation,
    ImportedTable,
    ImportOptions,
    RunOrder,
    language_for,
    zone_for,
)
from importer.runs.readers import UnknownRun
from importer.sources import EmbeddedPackage

Source = BinaryIO | Path | EmbeddedPackage


class NoPlan(Exception):
    """The refusal of a run that has no plan (any more), or none that can be used."""


class PlanStale(NoPlan):
    """The refusal of a plan that was kept too long or has been carried out.

    ``moved`` is the number of its writes, none of which can be carried out any more.
    """

    def __init__(self, run: ImportRun, reason: str) -> None:
        self.run_id = run.run_id
        self.moved = sum(run.counts.get(outcome, 0) for outcome in WRITTEN)
        super().__init__(reason)


class DryRunNeeded(Exception):
    """The refusal of an import without a dry run before (OPEN-57)."""

    def __init__(self) -> None:
        super().__init__(
            _(
                "Nothing was imported. Start a dry run of exactly this package first;"
                " you can import it as soon as your dry run has found no errors."
            )
        )


def import_package(
    stream: BinaryIO,
    options: ImportOptions = ImportOptions(),
    *,
    user: Any,
    table: ImportedTable | None = None,
    cancellation: Cancellation | None = None,
    progress: Progress = lambda stage, done, total: None,
) -> Report:
    """Run a package now, as a user, and return the report (IMP-280 to IMP-283).

    ``table`` is what it was made from; it is kept as long as the package.
    Raise ImportInProgress while another import runs, LockUnusable, UnknownTimeZone,
    RunExists, and DatabaseError if not even the record of the run can be written.
    Errors in the package are in the report, not raised.
    """
    order = RunOrder(
        run_id=options.run_id or uuid4(),
        source=stream,
        options=options,
        user=user,
        zone=zone_for(options, user),
        started_via=options.started_via or registry.started_via(),
        language=language_for(user),
        table=table,
    )
    return execute(order, cancellation=cancellation, progress=progress)


def start_run(
    source: Source,
    options: ImportOptions = ImportOptions(),
    *,
    user: Any,
    after_dry_run: bool = False,
    queue: bool = False,
    table: ImportedTable | None = None,
) -> UUID:
    """Start a run of a package in the background, as a user, and return its identifier
    (IMP-284, IMP-285).

    With ``after_dry_run`` the user's last dry run of the same bytes must have had no
    errors, else DryRunNeeded is raised (OPEN-57). With ``queue`` the run waits for its
    turn; ImportInProgress then means that too many runs wait already.

    Source and table are copied first and may be closed afterwards. Raise what
    ``import_package`` raises, EngineStopped while the server stops, and OSError if the
    source can't be copied.
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
    try:
        table = background.copied_table(table)
    except BaseException:
        copy.close()
        raise
    order = RunOrder(
        run_id=options.run_id or uuid4(),
        source=copy,
        options=options,
        user=user,
        zone=zone,
        started_via=options.started_via or registry.started_via(),
        digest=digest,
        language=language_for(user),
        table=table,
    )
    _start(order, queue=queue)
    return order.run_id


def start_plan(
    run_id: UUID,
    options: ImportOptions = ImportOptions(),
    *,
    user: Any,
    queue: bool = False,
) -> UUID:
    """Start an import of exactly what a dry run has planned, in the background; return
    its identifier.

    Raise what ``import_plan`` and ``start_run`` raise.
    """
    order = _order_of_plan(run_id, options, user)
    _start(order, queue=queue)
    return order.run_id


def _start(order: RunOrder, *, queue: bool) -> None:
    """Start a run, at once or when it is its turn."""
    if not queue:
        background.engine().start(order)
        return
    background.enqueue(order)


def import_plan(
    run_id: UUID,
    options: ImportOptions = ImportOptions(),
    *,
    user: Any,
    cancellation: Cancellation | None = None,
    progress: Progress = lambda stage, done, total: None,
) -> Report:
    """Import exactly what a dry run has planned, now, and return the report.

    Rows that have changed since the dry run are left as they are. Dates and time zone
    are those of the dry run; errors that it found prevent the import, unless it
    continues on errors. Raise UnknownRun, NoPlan, and what ``import_package`` raises.
    """
    order = _order_of_plan(run_id, options, user)
    with closing(order):
        return execute(order, cancellation=cancellation, progress=progress)


def planned_run(run_id: UUID, options: ImportOptions = ImportOptions()) -> ImportRun:
    """Return a dry run whose plan can be carried out; raise UnknownRun or NoPlan."""
    dry_run = reading.find_run(run_id)
    if dry_run is None:
        raise UnknownRun(run_id)
    _require_plan(dry_run, options)
    if not kept_packages.is_kept(dry_run):
        raise PlanStale(dry_run, _no_longer_kept())
    if ImportRun.objects.carried_out(dry_run.run_id).exists():
        raise PlanStale(
            dry_run, _("This plan has been carried out already; start a new dry run.")
        )
    return dry_run


def _order_of_plan(run_id: UUID, options: ImportOptions, user: Any) -> RunOrder:
    dry_run = planned_run(run_id, options)
    source = kept_packages.opened(dry_run)
    if source is None:  # removed just now
        raise PlanStale(dry_run, _no_longer_kept())
    return RunOrder(
        run_id=options.run_id or uuid4(),
        source=source,
        options=options,
        user=user,
        zone=ZoneInfo(dry_run.time_zone),
        started_via=options.started_via or registry.started_via(),
        digest=dry_run.digest,
        language=language_for(user),
        kind=ImportRun.Kind.PLAN,
        based_on=dry_run,
        table=kept_packages.opened_table(dry_run),
    )


def _no_longer_kept() -> str:
    return _("The plan of this dry run is no longer kept; start a new dry run.")


def _require_plan(run: ImportRun, options: ImportOptions) -> None:
    """Raise NoPlan for a run whose entries can't be carried out."""
    reason = ""
    if not run.dry_run:
        reason = _("Only a dry run has a plan; this was an import.")
    elif run.kind == ImportRun.Kind.UNDO:
        reason = _("This is the dry run of an undo; undo the run itself.")
    elif not run.has_ended:
        reason = _("The dry run hasn't ended yet.")
    elif run.status != ImportRun.Status.COMPLETED:
        reason = _("The dry run didn't reach its end; start a new dry run.")
    elif run.has_errors and not options.continue_on_error:
        reason = _(
            "The dry run found errors. Correct the package and start a new dry run, or"
            " import only the objects without errors, with continueOnError."
        )
    elif sum(run.chunks.values_list("size", flat=True)) < run.done:
        reason = _(
            "This dry run has more objects than a plan can list. Import the package"
            " without a plan."
        )
    if reason:
        raise NoPlan(reason)
