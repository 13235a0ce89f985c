"""The page of one run: its results, the causes of failures, and the next steps."""

from __future__ import annotations

from typing import Any

from django.core.paginator import Paginator
from django.http import HttpRequest
from django.utils.translation import gettext as _

from importer import registry, services
from importer.admin_page.entries import entries_page
from importer.admin_page.forms import EntriesForm, asked
from importer.admin_page.undo import undo_parts
from importer.models import ImportRun
from importer.package.shapes import Outcome, Severity
from importer.pipeline.causes import Cause
from importer.runs import package_uploads
from importer.runs.cause_groups import CauseGroup, grouped
from importer.runs.progress import in_words, progress_of
from importer.sources import digest_of

PROBLEMS = 20
_WRITES = (
    Outcome.INSERTED,
    Outcome.UPDATED,
    Outcome.ADOPTED,
    Outcome.RESTORED,
    Outcome.DELETED,
)
Status = ImportRun.Status


def report(request: HttpRequest, run: ImportRun) -> dict[str, Any]:
    """Return the context of a run's page."""
    shown: dict[str, Any] = {"title": _title(run), "run": run}
    if run.status == Status.RUNNING:
        return {**shown, "progress": progress_of(run)}
    counts = services.counts_of(run)
    finished = run.finished_at or run.started_at
    return {
        **shown,
        "took": in_words(finished - run.started_at),
        "problems": _problems(run, request),
        "notes": [d for d in run.diagnostics if d["severity"] != Severity.ERROR],
        "entries": entries_page(run, request.GET, request.user),
        "writes": sum(counts.get(outcome, 0) for outcome in _WRITES),
        "failed": counts.get(Outcome.FAILED, 0),
        "source": _source(request.user, run),
        "changes_link": _changes_link(run, request.user),
        **undo_parts(run, request.user),
    }


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
    page.object_list = [_shown(group, request.user) for group in page]
    return page


def _shown(group: CauseGroup, user: Any) -> dict[str, Any]:
    rows = [
        {"cause": cause, "link": _owner_link(cause, user)} for cause in group.causes
    ]
    return {"group": group, "rows": rows, "first": rows[: len(group.first_causes)]}


def _owner_link(cause: Cause, user: Any) -> str:
    owner = cause.owner
    if owner is None or owner.row_id is None:
        return ""
    return registry.row_link(owner.model, owner.row_id, user)


def _source(user: Any, run: ImportRun) -> dict[str, str]:
    """Return the form fields that import what was run dry, none if it isn't allowed."""
    if run.kind == ImportRun.Kind.UNDO or not (
        run.dry_run and registry.may_import(user)
    ):
        return {}
    planned = services.clean_dry_run(user, run.digest)
    if planned is None or planned.run_id != run.run_id:
        return {}
    if package_uploads.find(user, run.digest) is not None:
        return {"digest": run.digest}
    embedded = services.embedded_package(run.package)
    if embedded is not None and digest_of(embedded) == run.digest:
        return {"package": run.package}
    return {}


def _changes_link(run: ImportRun, user: Any) -> str:
    return "" if run.dry_run else registry.changes_link(run.run_id, user)
