"""What a report offers next: the import of a dry run, or another run of its package."""

from __future__ import annotations

from typing import Any

from importer import registry, services
from importer.models import ImportRun
from importer.package.shapes import WRITTEN
from importer.runs import kept_packages
from importer.services import ImportOptions, NoPlan, PlanStale

Kind, Status = ImportRun.Kind, ImportRun.Status


def next_step(run: ImportRun, user: Any) -> dict[str, Any]:
    """Return the form fields of the buttons on a run's report, none for users who may
    not import.

    ``source`` imports what was run dry, or continues an interrupted import; ``again``
    runs the same package dry; ``rest`` imports what a dry run that continued on errors
    would write, without what failed.
    """
    if run.kind not in (Kind.PACKAGE, Kind.PLAN) or not registry.may_import(user):
        return {}
    kept = _kept(run)
    if kept is None:
        return {}
    planned = services.clean_dry_run(user, run.digest)
    if run.dry_run and planned == run and not _is_carried_out(run):
        return {"source": {"plan": run.run_id}}
    again = {"again": kept.run_id, "time_zone": run.time_zone}
    if run.status == Status.INTERRUPTED and not run.dry_run and planned is not None:
        return {"source": again, "again": again}
    if not (run.dry_run or _is_unfinished(run)):
        return {}
    return {"again": again, "rest": {"plan": run.run_id} if _has_rest(run) else {}}


def _has_rest(run: ImportRun) -> bool:
    """Return whether the objects without errors of a dry run can be imported."""
    if not (run.dry_run and run.has_errors and run.continue_on_error):
        return False
    counts = services.counts_of(run)
    try:
        services.planned_run(run.run_id, ImportOptions(continue_on_error=True))
    except (NoPlan, PlanStale):
        return False
    return any(counts.get(outcome) for outcome in WRITTEN)


def _kept(run: ImportRun) -> ImportRun | None:
    """Return the run whose package is kept: this one, or the dry run that it carried
    out."""
    for one in (run, run.based_on):
        if one is not None and kept_packages.is_kept(one):
            return one
    return None


def _is_unfinished(run: ImportRun) -> bool:
    return bool(run.has_errors or run.status != Status.COMPLETED)


def _is_carried_out(run: ImportRun) -> bool:
    return ImportRun.objects.carried_out(run.run_id).exists()
