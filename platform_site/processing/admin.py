"""Data processors in the admin index, and executions by packages. The pages are in
`platform_site.processing.pages`."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.http import HttpRequest
from django.template.loader import render_to_string
from django.urls import path
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _
from django.views.generic import RedirectView

from platform_site.processing.models import Processor, ProcessorExecution
from platform_site.processing.result_display import shown
from platform_site.processing.rights import executable
from platform_site.processing.services import title_of
from platform_site.read_only_admin import ReadOnlyAdmin


class ProcessorFilter(admin.AllValuesFieldListFilter):
    """A filter by processor, shown by title."""

    def choices(self, changelist: Any) -> Any:
        """Return the choices."""
        for choice in super().choices(changelist):
            # A count may follow the name, which has no spaces.
            value, space, count = str(choice["display"]).partition(" ")
            yield {**choice, "display": f"{title_of(value)}{space}{count}"}


@admin.register(Processor)
class ProcessorAdmin(ReadOnlyAdmin):
    """The entry for the list of processors, which are classes and not rows."""

    def get_urls(self) -> list[Any]:
        """Return the one path that Django's pages link to."""
        leads = RedirectView.as_view(pattern_name="processors")
        return [path("", leads, name="processing_processor_changelist")]

    def has_module_permission(self, request: HttpRequest) -> bool:
        """Return whether the user may execute a processor."""
        return any(True for _each in executable(request.user))

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Return whether the user may execute a processor."""
        return self.has_module_permission(request)


class ResultAdmin(ReadOnlyAdmin):
    """The admin of rows that store the result of a processor in `result`."""

    class Media:
        css = {"all": ("processing/processor.css",)}

    def get_object(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        """Return the row with its reader, who may be allowed to see the report of its
        run."""
        row = super().get_object(request, *args, **kwargs)
        if row is not None:
            row.reader = request.user
        return row

    def report_of(self, row: Any, reader: Any) -> str:
        """Return the URL of the report of a run that the result doesn't name."""
        return ""

    @admin.display(description=_("result"))
    def results(self, row: Any) -> SafeString:
        """Return the result as on the page of the processor."""
        reader = getattr(row, "reader", None)
        seen = shown(row.processor, row.result, reader)
        seen.report = seen.report or self.report_of(row, reader)
        return render_to_string("processing/_result.html", {"shown": seen})


@admin.register(ProcessorExecution)
class ProcessorExecutionAdmin(ResultAdmin):
    """The read-only list of executions by packages."""

    purpose = _("Packages can execute data processors; their results are listed here.")

    list_display = (
        "executed_at",
        "processor_shown",
        "user_name",
        "import_source",
        "import_key",
    )
    list_filter = (("processor", ProcessorFilter), "executed_at")
    fields = (
        "processor_shown",
        "executed_at",
        "seconds",
        "user_name",
        "input",
        "results",
        "import_source",
        "import_key",
    )
    readonly_fields = fields

    @admin.display(description=_("data processor"), ordering="processor")
    def processor_shown(self, execution: ProcessorExecution) -> str:
        """Return the title of the processor."""
        return title_of(execution.processor)
