"""The admin pages of jobs. They write through the services, show the next runs and the
last result, and run a job on request."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from django.contrib import admin, messages
from django.contrib.admin.utils import unquote
from django.core.exceptions import PermissionDenied
from django.db.models import Prefetch, QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.loader import render_to_string
from django.urls import URLPattern, path, reverse
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext, gettext_lazy as _
from django.views.decorators.http import require_GET, require_POST

from platform_site.accounts.models import User
from platform_site.changes.edit_conflicts import SeenAdmin
from platform_site.changes.labels import NOTHING, ColumnLabels
from platform_site.processing.admin import ProcessorFilter
from platform_site.processing.registry import find_processor
from platform_site.processing.services import title_of
from platform_site.scheduling.admin.executions import status_of
from platform_site.scheduling.forms import JobForm
from platform_site.scheduling.input_widget import FORM_OF, ProcessorInput, typed_input
from platform_site.scheduling.labels import in_words, time_in_words
from platform_site.scheduling.missing_rights import (
    grant,
    may_grant,
    missing_rights,
    rights_in_words,
)
from platform_site.scheduling.models import Job, JobExecution
from platform_site.scheduling.presets import NEEDED
from platform_site.scheduling.preview import is_number, preview, preview_of_typed
from platform_site.scheduling.schedule_form import FIELDS as SCHEDULE
from platform_site.scheduling.services import (
    create_job,
    delete_job,
    next_run,
    run_now,
    update_job,
)


class JobLabels(ColumnLabels):
    """The labels for change events of a job, which name its processor by the class."""

    def text(self, name: str, value: Any, texts: Any) -> str:
        """Return the title of a processor, and other values as usual."""
        said = name == "processor" and isinstance(value, str)
        return title_of(value) if said else super().text(name, value, texts)


@admin.register(Job)
class JobAdmin(SeenAdmin):
    """The list and form of jobs, with their next runs and a button to run one now."""

    purpose = _(
        "A job runs a data processor by itself, for example a price list every night."
    )

    labels = JobLabels(Job)

    form = JobForm
    list_display = (
        "name",
        "last_result",
        "enabled",
        "schedule_in_words",
        "next_run",
        "processor_shown",
        "run_as",
    )
    list_filter = ("enabled", ("processor", ProcessorFilter))
    list_select_related = ("run_as",)
    search_fields = ("name", "processor")
    readonly_fields = ("next_runs",)
    actions = ("run_chosen",)
    change_form_template = "scheduling/job_form.html"
    fieldsets = (
        (None, {"fields": ("name", "processor", "input", "run_as", "enabled")}),
        (
            _("Schedule"),
            {
                "fields": (
                    *SCHEDULE,
                    "cron",
                    "interval_seconds",
                    "time_zone",
                    "next_runs",
                )
            },
        ),
        (_("Rights"), {"fields": ("grant",)}),
    )

    class Media:
        css = {"all": ("scheduling/jobs.css",)}
        js = ("django_htmx/htmx-2.min.js", "scheduling/preview.js")

    def get_urls(self) -> list[URLPattern]:
        """Add the paths of the button and the preview."""
        wrap = self.admin_site.admin_view
        views: dict[str, tuple[str, Any]] = {
            "next_runs": ("next-runs/", require_GET(self.next_runs_view)),
            "input": ("input/", require_POST(self.input_view)),
            "run": ("<path:object_id>/run/", require_POST(self.run_view)),
        }
        own = [
            path(address, wrap(view), name=f"scheduling_job_{name}")
            for name, (address, view) in views.items()
        ]
        return [*own, *super().get_urls()]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Job]:
        """Return the jobs, each with its newest execution, with two queries."""
        newest = JobExecution.objects.order_by("-pk")[:1]
        with_newest = Prefetch("executions", queryset=newest, to_attr="newest")
        return super().get_queryset(request).prefetch_related(with_newest)

    # -- what the list shows -------------------------------------------------------

    @admin.display(description=_("schedule"))
    def schedule_in_words(self, job: Job) -> str:
        """Return the schedule as text."""
        return in_words(job)

    @admin.display(description=_("data processor"), ordering="processor")
    def processor_shown(self, job: Job) -> str:
        """Return the title of the processor."""
        return title_of(job.processor)

    @admin.display(description=_("next run"))
    def next_run(self, job: Job) -> str:
        """Return the time of the next run, in the job's zone."""
        if not job.enabled:
            return gettext("switched off")
        time = next_run(job, timezone.now())
        if time is None:
            return gettext("never: its schedule cannot be read")
        return time_in_words(time, job.zone)

    @admin.display(description=_("last result"))
    def last_result(self, job: Job) -> str | SafeString:
        """Return the last result with a link, or that the job is running."""
        newest: list[JobExecution] = job.newest  # type: ignore[attr-defined]
        if not newest:
            return NOTHING
        url = reverse("admin:scheduling_jobexecution_change", args=[newest[0].pk])
        return format_html('<a href="{}">{}</a>', url, status_of(newest[0]))

    @admin.display(description=_("next runs"))
    def next_runs(self, job: Job | None) -> SafeString:
        """Return the next five runs, updated while the form is edited."""
        context: dict[str, Any] = {}
        if job is not None and job.pk:
            context = {"preview": preview(job), **_lacking(job.processor, job.run_as)}
        url = reverse("admin:scheduling_job_next_runs")
        content = render_to_string("scheduling/next_runs.html", context)
        return format_html(
            '<div id="job-next-runs" data-url="{}" data-needed="{}" aria-live="polite">'
            "{}</div>",
            url,
            json.dumps({str(preset): names for preset, names in NEEDED.items()}),
            content,
        )

    def next_runs_view(self, request: HttpRequest) -> HttpResponse:
        """Return the meaning of the schedule in a form, and the rights that the account
        lacks."""
        if not (self.has_add_permission(request) or self.has_view_permission(request)):
            raise PermissionDenied
        only_rights = "run_as" in request.GET and "cron" not in request.GET
        context: dict[str, Any] = {
            "preview": None if only_rights else preview_of_typed(request.GET),
            **self._lacking_in_form(request),
        }
        return HttpResponse(render_to_string("scheduling/next_runs.html", context))

    def input_view(self, request: HttpRequest) -> HttpResponse:
        """Return the input of the processor that is chosen in a form, with the typed
        values that it knows too."""
        if not (
            self.has_add_permission(request) or self.has_change_permission(request)
        ):
            raise PermissionDenied
        widget = ProcessorInput(attrs={"rows": 4, "class": "vLargeTextField"})
        name = request.POST.get("processor", "")
        processor, typed = find_processor(name), {}
        before = find_processor(request.POST.get(FORM_OF, ""))
        if processor is not None and before is not None:
            known = processor.Input().fields
            values = typed_input(before, request.POST).items()
            typed = {key: value for key, value in values if key in known}
        widget.processor = name
        return HttpResponse(widget.render("input", json.dumps(typed)))

    def _lacking_in_form(self, request: HttpRequest) -> dict[str, str]:
        """Return what the chosen account lacks for the chosen processor, if the reader
        may choose it."""
        key = request.GET.get("run_as", "")
        field: Any = self.get_form(request)().fields.get("run_as")
        if field is None or not is_number(key):
            return {}
        user = field.queryset.filter(pk=key).first()
        return {} if user is None else _lacking(request.GET.get("processor", ""), user)

    # -- running -------------------------------------------------------------------

    def run_view(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """Request an execution, and redirect to the history of the job."""
        if not self.has_change_permission(request):
            raise PermissionDenied
        job = self.get_object(request, unquote(object_id))
        if job is None:
            raise Http404
        self._run(request, [job])
        url = reverse("admin:scheduling_jobexecution_changelist")
        return HttpResponseRedirect(f"{url}?job__id__exact={job.pk}")

    @admin.action(description=_("Run the chosen jobs now"), permissions=["change"])
    def run_chosen(self, request: HttpRequest, queryset: QuerySet[Job]) -> None:
        """Request an execution of each selected job."""
        self._run(request, queryset)

    def _run(self, request: HttpRequest, jobs: Iterable[Job]) -> None:
        def run(job: Job) -> None:
            run_now(job=job, user=request.user)  # type: ignore[arg-type]
            text = gettext("“%(job)s” starts in a moment.") % {"job": job}
            self.message_user(request, text, messages.SUCCESS)

        self.write_each(request, jobs, run)

    # -- writing -------------------------------------------------------------------

    def get_fieldsets(self, request: HttpRequest, obj: Job | None = None) -> Any:
        """Leave out the fields to choose from for those who only read."""
        shown = super().get_fieldsets(request, obj)
        if obj is None or self.has_change_permission(request, obj):
            return shown
        only_to_choose = {*SCHEDULE, "grant"}
        kept = [
            (title, [each for each in options["fields"] if each not in only_to_choose])
            for title, options in shown
        ]
        return [(title, {"fields": fields}) for title, fields in kept if fields]

    def formfield_for_dbfield(self, *args: Any, **kwargs: Any) -> Any:
        """Return the field; users can be selected but not edited."""
        field = super().formfield_for_dbfield(*args, **kwargs)
        for right in ("can_add_related", "can_change_related", "can_delete_related"):
            if field is not None and hasattr(field.widget, right):
                setattr(field.widget, right, False)
        return field

    def write(self, request: HttpRequest, row: Job, form: Any, *, change: bool) -> None:
        """Write the job with its services."""
        if change:
            update_job(job=row)
        else:
            create_job(job=row)
        self._tell_rights(request, row, wanted=form.cleaned_data.get("grant", False))

    def _tell_rights(self, request: HttpRequest, job: Job, *, wanted: bool) -> None:
        """Grant the rights that the account of a job lacks, or tell which they are."""
        user = job.run_as
        rights = missing_rights(job.processor, user)
        if user is None or not rights:
            return
        words = {"user": user, "rights": rights_in_words(rights)}
        if wanted and may_grant(request.user, user, rights):  # type: ignore[arg-type]
            role = grant(job.processor, user, rights)
            text = gettext(
                "“%(user)s” got these rights by the role “%(role)s”: %(rights)s."
            )
            self.message_user(request, text % {**words, "role": role}, messages.SUCCESS)
            return
        text = gettext("The job will fail: “%(user)s” lacks these rights: %(rights)s.")
        if wanted:
            text += " " + gettext("You may not grant them; ask an administrator.")
        self.message_user(request, text % words, messages.WARNING)

    def delete_model(self, request: HttpRequest, obj: Job) -> None:
        """Delete the job with its service."""
        delete_job(job=obj)


def _lacking(processor: str, user: User | None) -> dict[str, str]:
    """Return the account and the rights that it lacks for a processor, nothing if it
    lacks none."""
    rights = missing_rights(processor, user)
    return {"user": str(user), "lacks": rights_in_words(rights)} if rights else {}
