"""The jobs as rows of the automation page."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from django.db.models import OuterRef, Subquery
from django.urls import reverse
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _, ngettext

from platform_site.accounts.account_rights import covered_accounts
from platform_site.processing.services import title_of
from platform_site.records.admin.row_parts import Pill
from platform_site.scheduling.admin.executions import quiet_in_words
from platform_site.scheduling.job_states import JobState, failing_since, job_states
from platform_site.scheduling.labels import in_words
from platform_site.scheduling.models import Job, JobExecution
from platform_site.scheduling.services import next_run

PER_PAGE: Final = 50
Status = JobExecution.Status
_TONES: Final[dict[str, str]] = {
    Status.COMPLETED: "good",
    Status.FAILED: "bad",
    Status.INTERRUPTED: "warn",
}


@dataclass(frozen=True, slots=True)
class JobRow:
    """A job as the page shows it."""

    state: JobState
    url: str
    run_url: str
    executions_url: str
    what: str
    schedule: str
    zone: str
    next_run: str
    pill: Pill
    strip: SafeString
    attention: Sequence[str]
    # The last failure, if the reader may see executions.
    failure_url: str


class Links:
    """The addresses of jobs and executions, each pattern resolved once."""

    def __init__(self) -> None:
        self._job = reverse("admin:scheduling_job_change", args=[0])
        self._run = reverse("admin:scheduling_job_run", args=[0])
        self._execution = reverse("admin:scheduling_jobexecution_change", args=[0])
        self._list = reverse("admin:scheduling_jobexecution_changelist")

    def job(self, key: int) -> str:
        """Return the page of a job."""
        return self._job.replace("/0/", f"/{key}/")

    def run(self, key: int) -> str:
        """Return the address that runs a job now."""
        return self._run.replace("/0/", f"/{key}/")

    def execution(self, key: int) -> str:
        """Return the page of an execution."""
        return self._execution.replace("/0/", f"/{key}/")

    def executions(self, key: int) -> str:
        """Return the list of the executions of a job."""
        return f"{self._list}?job__id__exact={key}"


def jobs_in_order() -> list[Job]:
    """Return all jobs with their users: those whose last execution failed first, then
    those that are on, by name."""
    ended = JobExecution.objects.filter(job=OuterRef("pk"), finished_at__isnull=False)
    newest = ended.order_by("-due_at").values("status")[:1]
    jobs = Job.objects.select_related("run_as").annotate(last=Subquery(newest))
    failed = (Status.FAILED, Status.INTERRUPTED)
    return sorted(
        jobs,
        key=lambda job: (
            not job.enabled,
            getattr(job, "last", None) not in failed,
            job.name.casefold(),
        ),
    )


def job_rows(jobs: Sequence[Job], reader: Any) -> list[JobRow]:
    """Return the rows of jobs."""
    links, now = Links(), timezone.now()
    opens = reader.has_perm("scheduling.view_jobexecution")
    states = job_states(jobs)
    may_run = reader.has_perm("scheduling.change_job")
    runnable = _runnable(jobs) if may_run else set()
    return [
        _row(state, links, now, opens=opens, runs=state.job.pk in runnable)
        for state in states
    ]


def _runnable(jobs: Sequence[Job]) -> set[int]:
    """Return the jobs whose account has no more rights than the reader."""
    covered = covered_accounts(job.run_as for job in jobs if job.run_as is not None)
    return {job.pk for job in jobs if job.run_as is None or job.run_as.pk in covered}


def _row(
    state: JobState, links: Links, now: datetime.datetime, *, opens: bool, runs: bool
) -> JobRow:
    job = state.job
    failures = state.failures
    return JobRow(
        state=state,
        url=links.job(job.pk),
        run_url=links.run(job.pk) if runs and not state.is_running else "",
        executions_url=links.executions(job.pk) if opens else "",
        what=title_of(job.processor),
        schedule=in_words(job),
        zone=_other_zone(job),
        next_run=_next_run(job, now),
        pill=_pill(state),
        strip=_strip(state, links) if opens else SafeString(""),
        attention=_attention(state) if state.needs_attention else (),
        failure_url=links.execution(failures[0].pk) if failures and opens else "",
    )


def _pill(state: JobState) -> Pill:
    since = failing_since(state)
    if not state.job.enabled:
        return Pill(_("off"), "quiet")
    if state.obstacles:
        return Pill(_("can't run"), "bad")
    if since is not None:
        words = {"date": _day(since)}
        return Pill(_("failing since %(date)s") % words, "bad")
    if state.is_running:
        return Pill(_("running"), "warn")
    return Pill(_("on"), "good")


def _attention(state: JobState) -> list[str]:
    if state.obstacles:
        return state.obstacles
    failures = state.failures
    text = ngettext(
        "The last execution failed: %(reason)s",
        "The last %(count)s executions failed: %(reason)s",
        len(failures),
    )
    return [text % {"count": len(failures), "reason": failures[0].message}]


def _next_run(job: Job, now: datetime.datetime) -> str:
    if not job.enabled:
        return ""
    time = next_run(job, now)
    return _("never") if time is None else _moment(time)


def _other_zone(job: Job) -> str:
    """Return the zone of a schedule, if it isn't the reader's own."""
    if job.interval_seconds is not None:
        return ""
    try:
        zone = str(job.zone)
    except (LookupError, ValueError, OSError):  # only a direct write stores such a one
        return job.time_zone
    return "" if zone == timezone.get_current_timezone_name() else zone


def _strip(state: JobState, links: Links) -> SafeString:
    """Return the last executions as a strip, the oldest first."""
    if not state.executions:
        return SafeString("")
    bars = format_html_join(
        "",
        '<li class="run is-{}"><a href="{}" title="{}" tabindex="-1">'
        '<span class="visually-hidden">{}</span></a></li>',
        (
            (
                _TONES.get(each.status, "open"),
                links.execution(each.pk),
                text := _outcome(each),
                text,
            )
            for each in reversed(state.executions)
        ),
    )
    label = _("The last executions of %(job)s, the oldest first") % {"job": state.job}
    return format_html('<ul class="strip" aria-label="{}">{}</ul>', label, bars)


def _outcome(execution: JobExecution) -> str:
    outcome = execution.get_status_display()
    if execution.quiet_streak > 1:
        outcome = quiet_in_words(execution.quiet_streak)
    return f"{_moment(execution.due_at)}: {outcome}"


def _moment(time: datetime.datetime) -> str:
    return date_format(timezone.localtime(time), "SHORT_DATETIME_FORMAT")


def _day(time: datetime.datetime) -> str:
    return date_format(timezone.localtime(time), "SHORT_DATE_FORMAT")
