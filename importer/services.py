"""The public services of the importer: run packages and read their reports.

Those of saved sources of tables are here too, with the extra ``tables``.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from typing import TYPE_CHECKING, Any
from uuid import UUID

from django.db.models import QuerySet

from importer import registry
from importer.exporting.selection import Selection, exportable, package_name, selected
from importer.exporting.writing import Exported, NotExportable, exported_file
from importer.locks import ProcessLock, database_lock, held_numbers
from importer.models import AppliedPackage, ImportRun
from importer.package.item_result import ItemResult
from importer.package.time_zones import UnknownTimeZone
from importer.pipeline.report import Report
from importer.runs import queueing, reading
from importer.runs.background import engine as run_engine, start_queued_runs
from importer.runs.control import (
    cancel_run,
    end_what_died,
    remove_expired,
    stop_runs,
)
from importer.runs.dead_runs import mark_interrupted_runs
from importer.runs.decisions import (
    KeptRows,
    NotDecidable,
    RowKeptByImport,
    is_decidable,
    keep_own_values,
    kept_row,
    take_packages_values,
    undecided,
)
from importer.runs.dry_runs import clean_dry_run, clean_dry_runs
from importer.runs.failed_objects import (
    NoFailedObjects,
    PackageNotKept,
    failed_objects,
    has_failed_objects,
    has_rows_to_correct,
)
from importer.runs.failures import is_out_of_space
from importer.runs.history import RunExists
from importer.runs.lock import ImportInProgress, LockUnusable, import_lock
from importer.runs.options import ImportOptions
from importer.runs.pausing import pause_runs_while
from importer.runs.progress import RunProgress, progress_of
from importer.runs.proposals import (
    ProposalRefused,
    UnknownProposal,
    find_proposal,
    open_proposals,
    propose_import,
    targets_of_package,
)
from importer.runs.readers import (
    NotYourRun,
    UnknownRun,
    identifier_of,
    readable_run,
    run_links,
)
from importer.runs.reading import (
    RECENT,
    ListedPackage,
    RunFilter,
    counts_of,
    problems_of,
    steps_of,
    up_to_date,
)
from importer.runs.report_filter import ReportFilter
from importer.runs.running import EngineStopped, NotRunning, is_importing_here
from importer.runs.starting import (
    DryRunNeeded,
    NoPlan,
    PlanStale,
    import_package,
    import_plan,
    planned_run,
    start_plan,
    start_run,
)
from importer.runs.undoing import (
    NotUndoable,
    start_undo,
    undo_of,
    undo_run,
    undone_of,
    why_not_undoable,
)
from importer.runs.unstored import unstored_runs
from importer.runs.workers import (
    RunJob,
    TryLater,
    WorkerEngine,
    carry_out,
    end_run_of,
)
from importer.sources import (
    EmbeddedPackage,
    embedded_package,
    embedded_packages,
    package_meant,
)

if TYPE_CHECKING:
    from importer.tables.sources import (
        DescriptionRefused as DescriptionRefused,
        SourceDisabled as SourceDisabled,
        TableError as TableError,
        UnknownSource as UnknownSource,
        create_source as create_source,
        delete_source as delete_source,
        failed_rows_of as failed_rows_of,
        find_source as find_source,
        get_source as get_source,
        import_table as import_table,
        list_sources as list_sources,
        update_source as update_source,
    )

__all__ = [
    "AppliedPackage",
    "DryRunNeeded",
    "EmbeddedPackage",
    "EngineStopped",
    "Exported",
    "ImportInProgress",
    "ImportOptions",
    "KeptRows",
    "ListedPackage",
    "LockUnusable",
    "NoFailedObjects",
    "NoPlan",
    "NotDecidable",
    "NotExportable",
    "NotRunning",
    "NotUndoable",
    "NotYourRun",
    "PackageNotKept",
    "PlanStale",
    "ProcessLock",
    "ProposalRefused",
    "Report",
    "RowKeptByImport",
    "RunExists",
    "RunJob",
    "RunProgress",
    "Selection",
    "TryLater",
    "UnknownProposal",
    "UnknownRun",
    "UnknownTimeZone",
    "WorkerEngine",
    "cancel_run",
    "carry_out",
    "clean_dry_run",
    "clean_dry_runs",
    "counts_of",
    "database_lock",
    "embedded_package",
    "embedded_packages",
    "end_run_of",
    "end_what_died",
    "exportable",
    "exported_file",
    "failed_objects",
    "find_proposal",
    "get_report",
    "get_run",
    "has_failed_objects",
    "has_rows_to_correct",
    "held_numbers",
    "identifier_of",
    "import_lock",
    "import_package",
    "import_plan",
    "is_decidable",
    "is_importing_here",
    "is_out_of_space",
    "keep_own_values",
    "kept_row",
    "list_packages",
    "list_runs",
    "mark_interrupted_runs",
    "open_proposals",
    "package_meant",
    "package_name",
    "package_schema",
    "pause_runs_while",
    "planned_run",
    "problems_of",
    "progress_of",
    "propose_import",
    "queue_positions",
    "readable_run",
    "remove_expired",
    "report_entries",
    "run_engine",
    "run_links",
    "running_run",
    "selected",
    "start_plan",
    "start_queued_runs",
    "start_run",
    "start_undo",
    "steps_of",
    "stop_runs",
    "take_packages_values",
    "targets_of_package",
    "undecided",
    "undo_of",
    "undo_run",
    "undone_of",
    "unstored_runs",
    "up_to_date",
    "why_not_undoable",
]


def __getattr__(name: str) -> Any:
    """Return what is about tables, whose libraries only those load who use it."""
    tables = None if name.startswith("_") else import_module("importer.tables.sources")
    if tables is None or name not in tables.__all__:
        raise AttributeError(f"importer.services has no {name}")
    return getattr(tables, name)


def get_run(run_id: UUID) -> ImportRun | None:
    """Return a run of the history or a dry run still kept, None if neither."""
    return reading.find_run(run_id)


def get_report(run_id: UUID) -> Report | None:
    """Return the whole report of a run, None during the run or if there is none."""
    run = get_run(run_id)
    if run is None or not run.has_ended:
        return None
    return reading.whole_report(run)


def report_entries(run_id: UUID, **wanted: Any) -> Iterator[ItemResult]:
    """Yield filtered entries of a report; raise UnknownRun if there is no such run.

    ``wanted`` are the members of ``ReportFilter``: outcome, search, step, unchanged,
    offset and limit.
    Only the necessary part of the report is read. During a run these are the entries so
    far, up to about a second ago.
    """
    run = get_run(run_id)
    if run is None:
        raise UnknownRun(run_id)
    return reading.entries_of(run, ReportFilter(**wanted))


def list_runs(
    package: str | None = None, limit: int = RECENT, *, page: int = 1, **which: Any
) -> QuerySet[ImportRun]:
    """Return the newest runs of the history, of one package or of all (OPEN-49).

    ``which`` are ``status`` and ``user``, a user name, and ``dry_run`` for the dry runs
    that are kept instead. ``page`` is counted from 1, in pages of ``limit`` runs.
    """
    return reading.recent_runs(RunFilter(package, **which), page, limit)


def running_run() -> ImportRun | None:
    """Return the run in progress in any process, real or dry (OPEN-47)."""
    return reading.running_run()


def list_packages() -> list[ListedPackage]:
    """Return the embedded packages, each with the version last applied (IMP-253)."""
    return reading.packages()


def queue_positions() -> dict[UUID, int]:
    """Return the queued runs with their positions, counted from 1."""
    return queueing.positions()


def package_schema() -> dict[str, Any]:
    """Return the JSON Schema of all packages of this installation (OPEN-58)."""
    return registry.package_format().schema
