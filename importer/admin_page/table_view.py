"""The views of the page for tables: the page itself, its form, and empty tables."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.core.exceptions import ValidationError as WrongValue
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.http.response import HttpResponseBase
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods, require_safe
from rest_framework.exceptions import NotFound, ValidationError

from importer import services
from importer.admin_page.access import administrators_only, page
from importer.admin_page.starting import Refused, done, run_address, table_address
from importer.admin_page.table_form import (
    DELETE,
    DRY_RUN,
    SAVE,
    AskedTable,
    asked_table,
)
from importer.admin_page.table_page import (
    ORIGINS,
    PreparedTable,
    chosen_source,
    prepared,
    table_context,
)
from importer.csv_files import CSV_CONTENT_TYPE
from importer.models import ImportRun, PackageUpload, TableSource
from importer.runs import package_uploads
from importer.runs.options import ImportedTable, ImportOptions, zone_for
from importer.tables.chosen import to_save
from importer.tables.packages import package_of, table_description, table_target
from importer.tables.sources import (
    EMPTY_DESCRIPTION,
    DescriptionRefused,
    TableError,
    UnknownSource,
    create_source,
    delete_source,
    update_source,
)

_XLSX_CONTENT_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
_SHOW = 200
_SHEETS = {"csv": CSV_CONTENT_TYPE, "xlsx": _XLSX_CONTENT_TYPE}


# ``done`` checks the token itself, once the upload handler is set.
@csrf_exempt
@require_http_methods(["GET", "HEAD", "POST"])
@administrators_only
def table_page(request: HttpRequest) -> HttpResponseBase:
    """Show how a table is read, or process a posted form."""
    refusal, asked = None, asked_table(request.GET)
    if request.method == "POST":
        try:
            answer = done(request, _act)
        except Refused as error:
            refusal, answer = error, None
        if answer is not None and answer.status_code != _SHOW:
            return answer
        asked = asked_table(request.POST)
    context = table_context(request.user, asked)
    context["refusal"] = refusal and str(refusal)
    return page(request, "table", context, status=refusal.status if refusal else 200)


@require_safe
@administrators_only
def table_template(request: HttpRequest) -> HttpResponseBase:
    """Return an empty table of a target to fill in."""
    form = request.GET.get("format", "xlsx")
    try:
        target = table_target(request.GET.get("target", ""))
        if form not in _SHEETS:
            raise LookupError(_("there are templates as csv and xlsx only"))
    except LookupError as error:
        sentence = f"{capfirst(str(error))}."
        context = {"title": _("Import a table"), "sentence": sentence}
        return page(request, "unknown", context, status=404)
    # It takes megabytes, and only this page needs it.
    from importer.tables.templates import template  # noqa: PLC0415 - as said above

    answer = HttpResponse(template(target, form), content_type=_SHEETS[form])
    name = f"{target.name}.{form}"
    answer["Content-Disposition"] = f'attachment; filename="{name}"'
    return answer


def _act(request: HttpRequest) -> HttpResponseBase:
    """Do what the form asks; a response of the status 200 means to show the page."""
    upload = request.FILES.get("file")
    if upload is not None:
        stored = package_uploads.store(upload, request.user)
        query = {
            n: request.POST[n] for n in ("source", "target") if request.POST.get(n)
        }
        more = f"&{urlencode(query)}" if query else ""
        return HttpResponseRedirect(table_address(stored.digest) + more)
    asked = asked_table(request.POST)
    do = {DRY_RUN: _run_dry, SAVE: _save, DELETE: _delete}.get(asked["action"])
    if do is None:
        return HttpResponse(status=_SHOW)
    try:
        return do(request, asked)
    except DescriptionRefused as refusal:
        said = [f"{capfirst(at)}: {each}." for at, each in refusal.errors.items()]
        raise ValidationError([" ".join(said)]) from None
    except WrongValue as refusal:
        raise ValidationError([" ".join(refusal.messages)]) from None
    except UnknownSource as refusal:
        raise NotFound(str(refusal)) from None
    except (TableError, LookupError) as refusal:
        raise ValidationError([capfirst(str(refusal))]) from None


def _run_dry(request: HttpRequest, asked: AskedTable) -> HttpResponseBase:
    """Start the dry run of a table as it is described."""
    upload = _upload(request, asked)
    options = ImportOptions(
        dry_run=True,
        continue_on_error=True,
        time_zone=asked["time_zone"] or "",
        started_via=_started_via(chosen_source(asked)),
    )
    zone = zone_for(options, request.user)
    with package_uploads.opened(upload) as table:
        ready = prepared(table, upload, asked)
        _require_ready(ready, asked)
        described = table_description(ready.proposal.description.wire())
        with package_of(table, described, zone=zone) as package:
            kept = ImportedTable(table, described.wire())
            run_id = services.start_run(package, options, user=request.user, table=kept)
    return HttpResponseRedirect(run_address(run_id))


def _save(request: HttpRequest, asked: AskedTable) -> HttpResponseBase:
    """Save how the table is read as a source."""
    upload = _upload(request, asked)
    with package_uploads.opened(upload) as table:
        ready = prepared(table, upload, asked)
    _require_ready(ready, asked)
    saved, name = chosen_source(asked), asked["name"] or ""
    values = {
        **EMPTY_DESCRIPTION,
        **to_save(ready.proposal.description, ready.chosen).wire(),
        "name": name,
        "origin": _origin(saved, asked, request.user),
    }
    if saved is not None and saved.name == name:
        update_source(name, values, expected_version=asked["version"])
    else:
        create_source(values)
    messages.success(request, _("The table source “%s” has been saved.") % name)
    query = urlencode({"source": name})
    return HttpResponseRedirect(f"{table_address(upload.digest)}&{query}")


def _delete(request: HttpRequest, asked: AskedTable) -> HttpResponseBase:
    """Delete a saved source."""
    name = asked["source"] or ""
    delete_source(name, expected_version=asked["version"])
    messages.success(request, _("The table source “%s” has been deleted.") % name)
    return HttpResponseRedirect(reverse("import-table"))


def _upload(request: HttpRequest, asked: AskedTable) -> PackageUpload:
    found = package_uploads.find(request.user, asked["file"] or "")
    if found is None:
        raise NotFound(_("The table is no longer kept on the server; choose it again."))
    return found


def _require_ready(ready: PreparedTable, asked: AskedTable) -> None:
    """Raise a refusal with what a table still lacks for an import."""
    lacking = [*asked.wrong, *ready.lacking]
    if lacking:
        raise WrongValue(lacking)
    asked.require_distinct()


def _origin(saved: TableSource | None, asked: AskedTable, user: Any) -> Any:
    """Return where the tables of a source come from; raise ValidationError if several
    places are given."""
    given = {name: asked[name] for name in ORIGINS if asked[name]}
    if len(given) > 1:
        raise WrongValue(
            _("Give an address, a folder or a data processor, not several.")
        )
    before = {} if saved is None else saved.origin or {}
    if "folder" in given:
        is_same = before.get("folder") == given["folder"]
        return before if is_same else {**given, "user": user.get_username()}
    return given or None


def _started_via(source: TableSource | None) -> str:
    via = ImportRun.StartedVia.PAGE.value
    return via if source is None else f"{via}:{source.name}"
