"""The page of one run: its results, the causes of failures, and the next steps."""

from __future__ import annotations

from typing import Any

from django.core.paginator import Paginator
from django.http import HttpRequest
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from importer import registry, services
from importer.admin_page.entries import entries_page
from importer.admin_page.forms import EntriesForm, asked
from importer.admin_page.undo import undo_parts
from importer.models import ImportRun
from importer.package.shapes import KEPT, Outcome, Severity
from importer.pipeline.causes import Cause
from importer.runs import kept_packages
from importer.runs.cause_groups import CauseGroup, grouped
from importer.runs.progress import RunProgress, in_words, progress_of
from importer.templatetags.importer_page import number

PROBLEMS = 20
_WRITES = (
    Outcome.INSERTED,
    Outcome.UPDATED,
    Outcome.ADOPTED,
    Outcome.RESTORED,
    Outcome.DELETED,
)


def report(request: HttpRequest, run: ImportRun) -> dict[str, Any]:
    """Return the context of a run's page."""
    shown: dict[str, Any] = {"title": _title(run), "run": run}
    if not run.has_ended:
        return {**shown, "progress": progress_or_position(run)}
    counts = services.counts_of(run)
    finished = run.finished_at or run.started_at
    return {
        **shown,
        "took": in_words(finished - run.started_at),
        "problems": _problems(run, request),
        "notes": [d for d in run.diagnostics if d["severity"] != Severity.ERROR],
        "entries": entries_page(run, request.GET, request.user),
        "writes": sum(counts.get(outcome, 0) for outcome in _WRITES),
        "summary": _summary(run, counts),
        "kept": _kept(run, counts, request.user),
        "failed": counts.get(Outcome.FAILED, 0),
        "source": _source(request.user, run),
        "changes_link": _changes_link(run, request.user),
        **undo_parts(run, request.user),
    }


def progress_or_position(run: ImportRun) -> RunProgress:
    """Return the progress of a run, or its position while it waits for its turn."""
    if run.status != ImportRun.Status.QUEUED:
        return progress_of(run)
    return progress_of(run, services.queue_positions().get(run.run_id, 1))


def _summary(run: ImportRun, counts: dict[str, int]) -> str:
    """Return in one sentence what happens to the rows, or has happened."""
    if run.kind == ImportRun.Kind.UNDO:
        return ""
    writes = sum(counts.get(outcome, 0) for outcome in _WRITES)
    if run.dry_run:
        changed = ngettext(
            "%(count)s row would change", "%(count)s rows would change", writes
        )
    else:
        changed = ngettext(
            "%(count)s row was changed", "%(count)s rows were changed", writes
        )
    kept = sum(counts.get(outcome, 0) for outcome in KEPT)
    same, failed = counts.get(Outcome.UNCHANGED, 0), counts.get(Outcome.FAILED, 0)
    missing = counts.get(Outcome.MISSING, 0)
    parts = [
        (writes, changed),
        (kept, ngettext("%(count)s is kept", "%(count)s are kept", kept)),
        (failed, ngettext("%(count)s failed", "%(count)s failed", failed)),
        (missing, ngettext("%(count)s is missing", "%(count)s are missing", missing)),
        (same, ngettext("%(count)s is unchanged", "%(count)s are unchanged", same)),
    ]
    said = [words % {"count": number(count)} for count, words in parts if count]
    return ", ".join(said)


def _kept(run: ImportRun, counts: dict[str, int], user: Any) -> dict[str, Any]:
    """Return which kept rows can be decided about, nothing if none can."""
    if not (registry.may_import(user) and services.is_decidable(run)):
        return {}
    found = {o.value: counts[o] for o in KEPT if counts.get(o)}
    return {"count": sum(found.values()), "outcome": next(iter(found), "")}


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
    return {"plan": str(run.run_id)} if kept_packages.is_kept(run) else {}


def _changes_link(run: ImportRun, user: Any) -> str:
    return "" if run.dry_run else registry.changes_link(run.run_id, user)
