"""The page of one run: its results, the causes of failures, and the next steps."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from django.core.paginator import Paginator
from django.http import HttpRequest
from django.utils.translation import gettext as _

from importer import registry, services
from importer.admin_page.chips import kept_count
from importer.admin_page.entries import entries_page
from importer.admin_page.forms import EntriesForm, asked
from importer.admin_page.next_step import next_step
from importer.admin_page.picture import picture
from importer.admin_page.related import related
from importer.admin_page.restoring import RowKey, restorable
from importer.admin_page.summary import summary_of
from importer.admin_page.undo import undo_parts
from importer.models import ImportRun
from importer.package.shapes import WRITTEN, Outcome, Severity
from importer.package.undo_results import UndoOutcome
from importer.pipeline.causes import Cause
from importer.runs.cause_groups import CauseGroup, grouped
from importer.runs.progress import RunProgress, in_words, progress_of
from importer.tables import is_installed

PROBLEMS = 20
# Up to so many kept rows are counted one by one.
_FEW = 50


def report(request: HttpRequest, run: ImportRun) -> dict[str, Any]:
    """Return the context of a run's page."""
    shown: dict[str, Any] = {"title": _title(run), "run": run}
    shown["related"] = related(run, request.user)
    if not run.has_ended:
        return {**shown, "progress": progress_or_position(run)}
    counts, steps = services.counts_of(run), services.steps_of(run)
    finished = run.finished_at or run.started_at
    return {
        **shown,
        "took": in_words(finished - run.started_at),
        "problems": _problems(run, request),
        "notes": [d for d in run.diagnostics if d["severity"] != Severity.ERROR],
        "bars": picture(run, steps),
        "entries": entries_page(run, request.GET, request.user, steps),
        "writes": sum(counts.get(outcome, 0) for outcome in WRITTEN),
        "summary": summary_of(run, counts),
        "kept": _kept(run, request.user),
        "kept_in_dry_run": run.dry_run and kept_count(run) > 0,
        "failed": counts.get(Outcome.FAILED, 0),
        "correctable": registry.may_import(request.user)
        and services.has_failed_objects(run),
        "has_rows": is_installed() and services.has_rows_to_correct(run),
        **next_step(run, request.user),
        "changes_link": _changes_link(run, counts, request.user),
        **undo_parts(run, request.user),
    }


def progress_or_position(run: ImportRun) -> RunProgress:
    """Return the progress of a run, or its position while it waits for its turn."""
    if run.status != ImportRun.Status.QUEUED:
        return progress_of(run)
    return progress_of(run, services.queue_positions().get(run.run_id, 1))


def _kept(run: ImportRun, user: Any) -> dict[str, Any]:
    """Return how many kept rows can be decided about, nothing if none can.

    Rows that have been decided about aren't counted, unless there are very many.
    """
    if not (registry.may_import(user) and services.is_decidable(run)):
        return {}
    count = kept_count(run)
    if 0 < count <= _FEW:
        entries = services.report_entries(run.run_id, kept=True)
        count = len(services.undecided(run, entries))
    return {"count": count}


def _title(run: ImportRun) -> str:
    of = {"package": run.package, "version": run.version}
    if run.kind == ImportRun.Kind.UNDO:
        if run.dry_run:
            return _("What would undoing %(package)s %(version)s change?") % of
        return _("Undo of %(package)s %(version)s") % of
    if not run.package:
        return _("Dry run of a package") if run.dry_run else _("Import of a package")
    if run.dry_run:
        return _("Dry run of %(package)s %(version)s") % of
    return _("Import of %(package)s %(version)s") % of


def _problems(run: ImportRun, request: HttpRequest) -> Any:
    """Return a page of cause groups, with the URL of each row that blocks an object."""
    wanted = asked(EntriesForm(request.GET))
    groups = Paginator(grouped(services.problems_of(run)), PROBLEMS)
    page: Any = groups.get_page(wanted["problems"] or 1)
    user, found = request.user, list(page)
    owners = (cause.owner for group in found for cause in group.causes)
    deleted = restorable(owners, user) if registry.may_import(user) else ()
    page.object_list = [_shown(group, user, deleted) for group in found]
    return page


def _shown(group: CauseGroup, user: Any, deleted: Collection[RowKey]) -> dict[str, Any]:
    rows = [
        {
            "cause": cause,
            "link": _owner_link(cause, user),
            "restorable": cause.owner is not None
            and (cause.owner.model, str(cause.owner.row_id)) in deleted,
        }
        for cause in group.causes
    ]
    return {"group": group, "rows": rows, "first": rows[: len(group.first_causes)]}


def _owner_link(cause: Cause, user: Any) -> str:
    owner = cause.owner
    if owner is None or owner.row_id is None:
        return ""
    return registry.row_link(owner.model, owner.row_id, user)


def _changes_link(run: ImportRun, counts: dict[str, int], user: Any) -> str:
    """Return the URL of what a run changed, an empty text if it changed nothing."""
    wrote = any(counts.get(one) for one in (*WRITTEN, UndoOutcome.REVERTED))
    return "" if run.dry_run or not wrote else registry.changes_link(run.run_id, user)
