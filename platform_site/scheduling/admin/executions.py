"""The read-only admin pages of executions: what ran, when, and with which result."""

from __future__ import annotations

import datetime
from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils import timezone
from django.utils.formats import number_format
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext, gettext_lazy as _, ngettext

from importer.models import ImportRun
from importer.services import run_links
from platform_site.changes.labels import NOTHING
from platform_site.processing.admin import ResultAdmin
from platform_site.processing.result_display import shown
from platform_site.processing.services import title_of
from platform_site.scheduling.labels import time_in_words
from platform_site.scheduling.models import JobExecution
from platform_site.scheduling.starters import starter_key


class FoldedFilter(admin.SimpleListFilter):
    """A filter that shows executions in a row that changed nothing as one, unless all
    are wanted."""

    title = _("runs without changes")
    parameter_name = "every"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        """Return the other choice."""
        return [("1", _("each execution"))]

    def queryset(
        self, request: HttpRequest, queryset: QuerySet[JobExecution]
    ) -> QuerySet[JobExecution]:
        """Leave out the folded executions."""
        return queryset if self.value() else queryset.filter(folded=False)

    def choices(self, changelist: Any) -> Any:
        """Return the choices, the first with a name of its own."""
        first, *others = super().choices(changelist)
        return [{**first, "display": _("several in a row as one")}, *others]


@admin.register(JobExecution)
class JobExecutionAdmin(ResultAdmin):
    """The read-only list of executions of jobs, and of requested ones, newest first."""

    purpose = _(
        "Each time a job runs, or a program requests a data processor, what came of "
        "it is listed here."
    )

    list_display = ("due", "name_shown", "status_shown", "what", "started_by", "took")
    list_filter = (
        "status",
        ("job", admin.RelatedOnlyFieldListFilter),
        "due_at",
        FoldedFilter,
    )
    list_select_related = ("job",)
    search_fields = ("job__name", "processor", "message")
    fields = (
        "job",
        "processor_shown",
        "status_shown",
        "message",
        "results",
        "due",
        "start",
        "end",
        "started_by",
        "run_as",
    )
    readonly_fields = fields

    class Media:
        css = {"all": ("scheduling/jobs.css",)}

    @admin.display(description=_("due"), ordering="due_at")
    def due(self, execution: JobExecution) -> str:
        """Return the scheduled time, or when a user pressed *Run now*."""
        return _to_the_second(execution.due_at)

    @admin.display(description=_("job or data processor"), ordering="job__name")
    def name_shown(self, execution: JobExecution) -> str:
        """Return the job, or the processor that was requested."""
        return execution.what

    @admin.display(description=_("data processor"))
    def processor_shown(self, execution: JobExecution) -> str:
        """Return the title of the processor."""
        return title_of(execution.processor)

    @admin.display(description=_("start"))
    def start(self, execution: JobExecution) -> str:
        """Return the start time."""
        return _to_the_second(execution.started_at)

    @admin.display(description=_("end"))
    def end(self, execution: JobExecution) -> str:
        """Return the end time."""
        return _to_the_second(execution.finished_at)

    def report_of(self, row: JobExecution, reader: Any) -> str:
        """Return the URL of the run that an execution has started, also while it is in
        progress and after a failure."""
        if reader is None:
            return ""
        key = starter_key(row.job_id, row.pk)
        runs = ImportRun.objects.filter(
            started_via=ImportRun.StartedVia.JOB, starter=key
        )
        return next(
            iter(run_links(reader, runs.values_list("pk", flat=True)[:1]).values()), ""
        )

    @admin.display(description=_("status"), ordering="status")
    def status_shown(self, execution: JobExecution) -> SafeString:
        """Return the status, with failures highlighted."""
        return status_of(execution)

    @admin.display(description=_("result"))
    def what(self, execution: JobExecution) -> str:
        """Return the message of a failure, or the result."""
        if execution.message:
            return execution.message
        if execution.quiet_streak > 1:
            return quiet_in_words(execution.quiet_streak)
        return shown(execution.processor, execution.result).in_one_line or NOTHING

    @admin.display(description=_("time taken"))
    def took(self, execution: JobExecution) -> str:
        """Return the duration."""
        if execution.started_at is None or execution.finished_at is None:
            return NOTHING
        seconds = (execution.finished_at - execution.started_at).total_seconds()
        return gettext("%(seconds)s s") % {
            "seconds": number_format(round(seconds, 1), 1)
        }


def quiet_in_words(count: int) -> str:
    """Return how many executions in a row changed nothing."""
    text = ngettext(
        "%(count)s run without changes", "%(count)s runs without changes", count
    )
    return text % {"count": number_format(count, force_grouping=True)}


def _to_the_second(instant: datetime.datetime | None) -> str:
    """Return an instant in the reader's zone with seconds, since jobs may be short."""
    if instant is None:
        return NOTHING
    return time_in_words(instant, timezone.get_current_timezone())


def status_of(execution: JobExecution) -> SafeString:
    """Return the status as text, since colour alone isn't enough."""
    return format_html(
        '<span class="job-status job-{}">{}</span>',
        execution.status.lower(),
        execution.get_status_display(),
    )
