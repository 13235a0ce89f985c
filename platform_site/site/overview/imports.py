"""The notices about imports: packages with a newer version, and failed runs without a
later success."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import Any, Final

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _, ngettext

from importer.models import ImportRun
from importer.services import ListedPackage, list_packages, run_links, unstored_runs
from platform_site.notices import Notice, NoticeSeverity
from platform_site.site.status.sentences import of_import

RECENT_DAYS: Final = 7
_MOST: Final = 5
Status = ImportRun.Status


def packages(user: Any) -> Iterator[Notice]:
    """Yield a notice for each embedded package whose version isn't applied."""
    page = reverse("import-page")
    for listed in list_packages():
        said = _said(listed)
        if said is not None:
            severity, text = said
            yield Notice(severity, text, page, _("Open the import page"))


def _said(listed: ListedPackage) -> tuple[NoticeSeverity, str] | None:
    one, applied = listed.embedded, listed.applied_version
    names = {"package": one.package, "version": one.version, "applied": applied}
    if one.error:
        text = _("The package %(package)s cannot be read: %(reason)s")
        return NoticeSeverity.PROBLEM, text % {**names, "reason": one.error}
    if applied is None:
        text = _(
            "The package %(package)s comes with this installation and isn't "
            "imported yet."
        )
        return NoticeSeverity.QUIET, text % names
    if one.version is not None and applied < one.version:
        text = _(
            "Version %(version)s of the package %(package)s is available; version "
            "%(applied)s is imported."
        )
        return NoticeSeverity.WARNING, text % names
    return None


def runs(user: Any) -> Iterator[Notice]:
    """Yield the newest runs that need attention, and the number of others."""
    stored = _troubled().defer("problems", "diagnostics", "counts")[: _MOST + 1]
    found = [*unstored_runs(), *stored]
    links = run_links(user, [run.run_id for run in found])
    for run in found[:_MOST]:
        link = links.get(run.run_id, "")
        yield Notice(_severity(run), of_import(run), link, _("Show the report"))
    if len(found) > _MOST:
        more = _troubled().count() - _MOST
        yield Notice(
            NoticeSeverity.WARNING,
            ngettext(
                "One other import run of the last %(days)s days failed or was "
                "interrupted.",
                "%(count)s other import runs of the last %(days)s days failed or "
                "were interrupted.",
                more,
            )
            % {"count": more, "days": RECENT_DAYS},
            f"{reverse('import-page')}#history",
            _("Show the history"),
        )


def _troubled() -> QuerySet[ImportRun]:
    """Return recent runs with errors or without an end, newest first.

    A later successful run of the same package makes up for them.
    """
    unfinished = (Status.QUEUED, Status.RUNNING)
    ended = ImportRun.objects.real().exclude(status__in=unfinished)
    made_good = (
        ImportRun.objects.real()
        .filter(
            package=OuterRef("package"),
            started_at__gt=OuterRef("started_at"),
            status=Status.COMPLETED,
            has_errors=False,
        )
        .exclude(package="")
    )
    return ended.filter(
        Q(has_errors=True) | ~Q(status=Status.COMPLETED),
        ~Exists(made_good),
        started_at__gte=timezone.now() - timedelta(days=RECENT_DAYS),
    ).order_by("-started_at")


def _severity(run: ImportRun) -> NoticeSeverity:
    failed = run.status == Status.FAILED and run.kind != ImportRun.Kind.UNDO
    return NoticeSeverity.PROBLEM if failed else NoticeSeverity.WARNING
