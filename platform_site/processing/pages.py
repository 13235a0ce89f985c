"""The pages of data processors: a list, and one page for each with its declared input
and its result (IMP-199)."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext as _

from platform_site.accounts.time_zones import time_zone_names, zone_of
from platform_site.database.failures import failure_of
from platform_site.processing import services
from platform_site.processing.errors import UnknownProcessor
from platform_site.processing.forms import ProcessorForm
from platform_site.processing.processor import DataProcessor
from platform_site.processing.result_display import shown
from platform_site.processing.rights import authorise
from platform_site.records.errors import NotAllowed, Refusal


def list_page(request: HttpRequest) -> HttpResponse:
    """List the processors that this user may execute."""
    allowed = services.allowed_processors(request.user)
    context = {
        "title": _("Data processors"),
        "processors": [services.about(each) for each in allowed],
    }
    return _rendered(request, "processing/list.html", context)


def processor_page(request: HttpRequest, name: str) -> HttpResponse:
    """Show the form of a processor, execute it, and show the result."""
    processor = _allowed(request, name)
    with timezone.override(zone_of(request.user)):
        if request.method != "POST":
            return _page(request, processor, ProcessorForm(processor))
        form = ProcessorForm(processor, request.POST, request.FILES)
        execution = _executed(request, processor, form) if form.is_valid() else None
        return _page(request, processor, form, execution)


def _allowed(request: HttpRequest, name: str) -> type[DataProcessor]:
    try:
        processor = services.get_processor(name)
    except UnknownProcessor as unknown:
        raise Http404(str(unknown)) from None
    try:
        authorise(request.user, processor)
    except NotAllowed as refusal:
        raise PermissionDenied(str(refusal)) from None
    return processor


def _executed(
    request: HttpRequest, processor: type[DataProcessor], form: ProcessorForm
) -> services.Execution | None:
    zone = request.POST.get("timeZone", "")
    try:
        return services.execute(
            processor.__name__,
            form.wire_values,
            user=request.user,
            files=form.files_given,
            # A browser may send an unknown zone; the user's own is used then.
            time_zone=zone if zone in time_zone_names() else "",
        )
    except NotAllowed as refusal:
        raise PermissionDenied(str(refusal)) from None
    except Refusal as refusal:
        if failure_of(refusal):
            raise
        form.show(refusal)
        return None


def _page(
    request: HttpRequest,
    processor: type[DataProcessor],
    form: ProcessorForm,
    execution: services.Execution | None = None,
) -> HttpResponse:
    context: dict[str, Any] = {
        "title": services.about(processor).title,
        "processor": services.about(processor),
        "form": form,
        "execution": execution,
    }
    if execution is not None:
        name = processor.__name__
        context["shown"] = shown(name, execution.result, request.user)
    return _rendered(request, "processing/processor.html", context)


def _rendered(
    request: HttpRequest, template: str, context: dict[str, Any]
) -> HttpResponse:
    return render(request, template, {**admin.site.each_context(request), **context})
