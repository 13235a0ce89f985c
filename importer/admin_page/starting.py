"""The forms that start and stop runs. The response is a redirect to the run's page, or
a refusal with the status and sentence of the API."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext, suppress
from typing import Any, BinaryIO
from uuid import UUID

from django.http import HttpRequest, HttpResponseRedirect
from django.http.response import HttpResponseBase
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.csrf import csrf_protect
from rest_framework.exceptions import APIException, NotFound, ValidationError

from importer import services
from importer.admin_page.deciding import DECISIONS, decide
from importer.admin_page.forms import (
    CANCEL,
    CHECK,
    DECLINE,
    IMPORT,
    RESTORE,
    UNDO,
    UNDO_DRY_RUN,
    StartForm,
    is_table,
)
from importer.admin_page.restoring import restore
from importer.api import uploads
from importer.api.base import as_http
from importer.models import ImportRun
from importer.runs import kept_packages, package_uploads, proposals
from importer.services import ImportOptions
from importer.sources import package_meant


class Refused(Exception):
    """A refusal, with the status and the sentence of the page that shows it."""

    def __init__(self, refusal: APIException) -> None:
        self.status = refusal.status_code
        detail: Any = refusal.detail
        super().__init__(str(detail[0] if isinstance(detail, list) else detail))


def act(request: HttpRequest) -> HttpResponseBase:
    """Do what the posted form asks; raise Refused with a sentence if it can't be
    done."""
    return done(request, _act)


def done(
    request: HttpRequest, do: Callable[[HttpRequest], HttpResponseBase]
) -> HttpResponseBase:
    """Do what a form with an upload asks; raise Refused with a sentence if it can't be
    done."""
    try:
        uploads.refuse_by_length(request)
        uploads.take_in(request)
        # Applied here, because the check reads the form and with it the upload.
        return csrf_protect(do)(request)
    except Exception as trouble:
        uploads.let_go(request)
        refusal = as_http(trouble)
        if isinstance(refusal, APIException):
            raise Refused(refusal) from trouble
        raise


def _act(request: HttpRequest) -> HttpResponseBase:
    action = request.POST.get("action")
    if action == DECLINE:
        answer = request.POST.get("answer", "")
        proposals.decline(_proposal(request), answer, user=request.user)
        return HttpResponseRedirect(reverse("import-page"))
    if address := _table_address(request):
        return HttpResponseRedirect(address)
    if action == CANCEL:
        run_id = services.identifier_of(request.POST.get("run", ""))
        services.cancel_run(run_id)
    elif action in (UNDO, UNDO_DRY_RUN):
        run_id = _started_undo(request)
    elif action in DECISIONS:
        run_id = decide(request)
    elif action == RESTORE:
        run_id = restore(request)
    elif action == CHECK:
        run_id = _started_check(request)
    else:
        run_id = _started(request)
    return HttpResponseRedirect(run_address(run_id))


def _table_address(request: HttpRequest) -> str:
    """Return the URL of the page for tables if the form has one, else an empty text."""
    upload, digest = request.FILES.get("file"), request.POST.get("digest", "")
    if upload is not None:
        is_list = is_table(upload.name)
        stored = package_uploads.store(upload, request.user) if is_list else None
    else:
        kept = package_uploads.find(request.user, digest) if digest else None
        stored = kept if kept is not None and is_table(kept.name) else None
    return "" if stored is None else table_address(stored.digest)


def _started(request: HttpRequest) -> UUID:
    form = StartForm(request.POST, request.FILES)
    if not form.is_valid():
        raise ValidationError([form.sentence()])
    wanted = form.cleaned_data
    is_import = wanted["action"] == IMPORT
    options = ImportOptions(
        dry_run=not is_import,
        continue_on_error=wanted["continue_on_error"],
        time_zone=wanted["time_zone"],
        started_via=ImportRun.StartedVia.PAGE,
    )
    if wanted["plan"] and is_import:
        return services.start_plan(wanted["plan"], options, user=request.user)
    how: dict[str, Any] = {"user": request.user, "after_dry_run": is_import}
    if wanted["package"]:
        return services.start_run(_embedded(wanted["package"]), options, **how)
    if wanted["again"]:
        return _started_again(wanted["again"], options, **how)
    with _file(request, wanted) as source:
        return services.start_run(source, options, **how)


def _started_undo(request: HttpRequest) -> UUID:
    options = ImportOptions(
        dry_run=request.POST["action"] == UNDO_DRY_RUN,
        started_via=ImportRun.StartedVia.PAGE,
    )
    run_id = services.identifier_of(request.POST.get("run", ""))
    return services.start_undo(run_id, options, user=request.user)


def _started_check(request: HttpRequest) -> UUID:
    """Start the dry run of a proposed import."""
    options = ImportOptions(dry_run=True, started_via=ImportRun.StartedVia.PAGE)
    with proposals.opened(_proposal(request)) as source:
        return services.start_run(source, options, user=request.user)


def _proposal(request: HttpRequest) -> str:
    return request.POST.get("proposal", "")


def _embedded(name: str) -> services.EmbeddedPackage:
    found = services.embedded_package(name)
    if found is None:
        raise NotFound(
            _(
                "“%(name)s” isn't one of the packages of this installation, or its file"
                " can't be read."
            )
            % {"name": name}
            + package_meant(name)
        )
    return found


def _started_again(run_id: UUID, options: ImportOptions, **how: Any) -> UUID:
    """Start the package of a run once more, with the table that it was made from."""
    run = services.get_run(run_id)
    source = None if run is None else kept_packages.opened(run)
    if run is None or source is None:
        raise NotFound(_("The package of this run is no longer kept; choose it again."))
    table = kept_packages.opened_table(run)
    with source, nullcontext() if table is None else table.file:
        return services.start_run(source, options, table=table, **how)


def _file(request: HttpRequest, wanted: dict[str, Any]) -> BinaryIO:
    """Return the file to run: a newly uploaded one takes precedence over a stored
    one."""
    upload = (
        package_uploads.store(wanted["file"], request.user)
        if wanted["file"]
        else package_uploads.find(request.user, wanted["digest"])
    )
    if upload is not None:
        with suppress(FileNotFoundError):
            return package_uploads.opened(upload)
    raise NotFound(
        _(
            "The file is no longer kept on the server; choose it again. Files are kept "
            "for a day."
        )
    )


def table_address(digest: str) -> str:
    """Return the URL of the page for an uploaded table."""
    return f"{reverse('import-table')}?file={digest}"


def run_address(run_id: UUID) -> str:
    """Return the URL of a run's page (IMP-278)."""
    return f"{reverse('import-page')}?run={run_id}"
