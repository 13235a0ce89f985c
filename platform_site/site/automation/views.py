"""The automation page."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext as _

from importer.registry import may_import
from platform_site.accounts.time_zones import zone_of
from platform_site.processing.rights import executable
from platform_site.scheduling.models import Job
from platform_site.site.automation.job_rows import PER_PAGE, job_rows, jobs_in_order
from platform_site.site.automation.processor_rows import ProcessorRows


def sees_automation(user: Any) -> bool:
    """Return whether there is anything for a user on the page."""
    return (
        user.has_perm("scheduling.view_job")
        or may_import(user)
        or any(True for _each in executable(user))
    )


def automation_page(request: HttpRequest) -> HttpResponse:
    """Show jobs, data processors and table sources, as far as the reader may."""
    reader: Any = request.user
    if not sees_automation(reader):
        raise PermissionDenied
    with timezone.override(zone_of(reader)):
        context = {
            **admin.site.each_context(request),
            "title": _("Automation"),
            "zone": timezone.get_current_timezone_name(),
            **_rows(request, reader),
        }
        return render(request, "automation/page.html", context)


def _rows(request: HttpRequest, reader: Any) -> dict[str, Any]:
    sees_jobs = reader.has_perm("scheduling.view_job")
    jobs: list[Job] = jobs_in_order() if sees_jobs else []
    page = Paginator(jobs, PER_PAGE).get_page(request.GET.get("page"))
    rows = job_rows(list(page.object_list), reader)
    processing = ProcessorRows(reader, jobs)
    return {
        "sees_jobs": sees_jobs,
        "may_add": reader.has_perm("scheduling.add_job"),
        "sees_executions": reader.has_perm("scheduling.view_jobexecution"),
        "page": page,
        "jobs": rows,
        "attention": [row for row in rows if row.attention],
        "processors": processing.processors(),
        "sources": processing.sources(),
    }
