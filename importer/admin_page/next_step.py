"""What a report offers next: the import of a dry run, or another run of its package."""

from __future__ import annotations

from typing import Any

from importer import registry, services
from importer.models import ImportRun
from importer.runs import kept_packages

Kind, Status = ImportRun.Kind, ImportRun.Status


def next_step(run: ImportRun, user: Any) -> dict[str, Any]:
    """Return the form fields of the buttons on a run's report, none for users who may
    not import.

    ``source`` imports what was run dry, or continues an interrupted import; ``again``
    runs the same package dry.
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
    return {"again": again} if run.dry_run or _is_unfinished(run) else {}


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
