"""The notices about jobs on the start page: those whose last execution failed
recently."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import Any, Final

from django.db.models import OuterRef, Subquery
from django.urls import reverse
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _, ngettext

from platform_site.notices import Notice, NoticeSeverity, register
from platform_site.scheduling.models import Job, JobExecution

RECENT_DAYS: Final = 7
_MOST: Final = 5
Status = JobExecution.Status


def failed_jobs(user: Any) -> Iterator[Notice]:
    """Yield each job whose newest ended execution failed or was interrupted."""
    newest = (
        JobExecution.objects.filter(job=OuterRef("pk"))
        .exclude(status__in=JobExecution.UNFINISHED)
        .order_by("-due_at", "-pk")
    )
    found = list(
        JobExecution.objects.filter(
            pk__in=Job.objects.values(newest=Subquery(newest.values("pk")[:1])),
            status__in=(Status.FAILED, Status.INTERRUPTED),
            due_at__gte=timezone.now() - timedelta(days=RECENT_DAYS),
        )
        .select_related("job")
        .order_by("-due_at", "-pk")
    )
    for execution in found[:_MOST]:
        yield _notice_of(execution)
    more = len(found) - _MOST
    if more > 0:
        text = ngettext(
            "One other job failed.", "%(count)s other jobs failed.", more
        ) % {"count": more}
        page = reverse("admin:scheduling_job_changelist")
        yield Notice(NoticeSeverity.PROBLEM, text, page, _("Show the jobs"))


def _notice_of(execution: JobExecution) -> Notice:
    failed = execution.status == Status.FAILED
    severity = NoticeSeverity.PROBLEM if failed else NoticeSeverity.WARNING
    due = timezone.localtime(execution.due_at)
    words = {
        "job": execution.job,
        "at": date_format(due, "SHORT_DATETIME_FORMAT"),
        "reason": execution.message,
    }
    if failed:
        text = _("The job “%(job)s” failed on %(at)s: %(reason)s") % words
    else:
        text = _(
            "The job “%(job)s” was interrupted on %(at)s; it runs again at its next time."
        )
        text %= words
    page = reverse("admin:scheduling_jobexecution_change", args=[execution.pk])
    return Notice(severity, text, page, _("Show the execution"))


register(
    failed_jobs, seen_by=lambda user: user.has_perm("scheduling.view_jobexecution")
)
