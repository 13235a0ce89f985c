"""The views of the page: the page itself, progress, and downloads. Users who may not
import can only read the reports of their own runs."""

from __future__ import annotations

from collections.abc import Callable

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.http.response import HttpResponseBase
from django.utils.translation import gettext as _
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods, require_safe

from importer import registry, services
from importer.admin_page.access import (
    administrators_only,
    page,
    readers_too,
    refused,
)
from importer.admin_page.deciding import DECISIONS
from importer.admin_page.downloads import download
from importer.admin_page.entries import filter_of
from importer.admin_page.index import index
from importer.admin_page.report import progress_or_position, report
from importer.admin_page.starting import Refused, act, run_address
from importer.api.exports import failed_response, rows_response
from importer.models import ImportRun
from importer.runs.progress import going_on
from importer.services import NoFailedObjects, NotYourRun, PackageNotKept, UnknownRun


# ``act`` checks the token itself, once the upload handler is set.
@csrf_exempt
@require_http_methods(["GET", "HEAD", "POST"])
@readers_too
def import_page(request: HttpRequest) -> HttpResponseBase:
    """Show the page or a run's report, or process a posted form."""
    if request.method != "POST" and "run" in request.GET:
        return _run_page(request)
    if not registry.may_import(request.user):
        return refused(request)
    refusal = None
    if request.method == "POST":
        try:
            return act(request)
        except Refused as error:
            if request.POST.get("action") in DECISIONS and _knows(request):
                # The report has the rows to mark and the filter.
                messages.error(request, str(error))
                address = run_address(services.identifier_of(request.POST["run"]))
                return HttpResponseRedirect(f"{address}#import-entries")
            refusal = error
    context = {**index(request), "refusal": refusal and str(refusal)}
    return page(request, "import", context, status=refusal.status if refusal else 200)


def _knows(request: HttpRequest) -> bool:
    """Return whether the run that a form is about exists."""
    try:
        return services.get_run(services.identifier_of(request.POST["run"])) is not None
    except LookupError:
        return False


def _run_page(request: HttpRequest) -> HttpResponseBase:
    services.end_what_died()
    try:
        run = _run(request)
    except (UnknownRun, NotYourRun) as error:
        return _no_run(request, error)
    return page(request, "run", report(request, run))


@require_safe
@readers_too
def progress(request: HttpRequest) -> HttpResponseBase:
    """Return the progress of a run, or of the run in progress.

    The browser reloads the page of a run when its package is known and when it has
    ended. Users who may not import only get the run they ask for.
    """
    services.end_what_died()
    may_import = registry.may_import(request.user)
    try:
        run = _run(request) if request.GET.get("run") or not may_import else None
    except UnknownRun:
        run = None
    except NotYourRun as error:
        return _no_run(request, error)
    here = bool(request.GET.get("here"))
    running = run is not None and not run.has_ended
    # The page got its title before the package was known.
    named = run is not None and run.package and request.GET.get("unnamed")
    if here and (named or not running):
        return HttpResponse(headers={"HX-Refresh": "true"})
    shown = progress_or_position(run) if run is not None and running else None
    if shown is None and may_import:
        shown = going_on()
    ended = run if shown is None else None
    context = {"progress": shown, "ended": ended, "here": here}
    return page(request, "_running", context)


@require_safe
@readers_too
def report_file(request: HttpRequest, kind: str) -> HttpResponseBase:
    """Return the report of a run as a file."""
    try:
        run = _run(request)
    except (UnknownRun, NotYourRun) as error:
        return _no_run(request, error)
    answer: HttpResponseBase = download(run, kind, filter_of(request.GET))
    return answer


@require_safe
@administrators_only
def failed_package(request: HttpRequest) -> HttpResponseBase:
    """Return the failed and kept objects of a run as a package."""
    return _to_correct(request, failed_response)


@require_safe
@readers_too
def failed_rows(request: HttpRequest) -> HttpResponseBase:
    """Return the failed and kept rows of the table of a run."""
    return _to_correct(request, rows_response)


def _to_correct(
    request: HttpRequest, response: Callable[[ImportRun], HttpResponseBase]
) -> HttpResponseBase:
    """Return the response with what a run didn't write, or the reason why there is
    none."""
    try:
        return response(_run(request))
    except (UnknownRun, NotYourRun) as error:
        return _no_run(request, error)
    except (NoFailedObjects, PackageNotKept) as error:
        context = {"title": _("Failed and kept objects"), "sentence": str(error)}
        return page(request, "unknown", context, status=404)


@readers_too
def no_tables(request: HttpRequest) -> HttpResponseBase:
    """Tell that this installation can't read tables."""
    sentence = _("This installation can't read tables: the extra “tables” is missing.")
    context = {"title": _("Import a table"), "sentence": sentence}
    return page(request, "unknown", context, status=501)


def _run(request: HttpRequest) -> ImportRun:
    return services.readable_run(request.GET.get("run", ""), request.user)


def _no_run(request: HttpRequest, error: Exception) -> HttpResponseBase:
    if isinstance(error, NotYourRun):
        return refused(request, str(error))
    context = {"title": _("Unknown run"), "sentence": str(error)}
    return page(request, "unknown", context, status=404)
