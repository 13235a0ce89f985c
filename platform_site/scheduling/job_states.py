"""The states of many jobs at once, with a constant number of queries: whether they can
run, and how their last executions ended."""

from __future__ import annotations

import datetime
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import reduce
from operator import or_
from typing import Final

from django.db.models import OuterRef, Q, Subquery
from django.utils.translation import gettext as _

from platform_site.accounts.admin.roles import RoleLabels
from platform_site.accounts.models import Role
from platform_site.processing.registry import processors
from platform_site.scheduling.missing_rights import (
    names_in_words,
    rights_missing_to_jobs,
)
from platform_site.scheduling.models import Job, JobExecution

EXECUTIONS_SHOWN: Final = 30
Status = JobExecution.Status
_FAILED: Final = (Status.FAILED, Status.INTERRUPTED)
# Their results may be large, and no strip shows them.
_SHOWN: Final = ("job", "status", "due_at", "started_at", "finished_at", "quiet_streak")


@dataclass(slots=True)
class JobState:
    """A job with its last executions, newest first, and why it can't run."""

    job: Job
    executions: list[JobExecution] = field(default_factory=list)
    obstacles: list[str] = field(default_factory=list)

    @property
    def failures(self) -> list[JobExecution]:
        """Return the failures since the last success, newest first."""
        failed = []
        for execution in self.executions:
            if execution.status in JobExecution.UNFINISHED:
                continue
            if execution.status not in _FAILED:
                break
            failed.append(execution)
        return failed

    @property
    def is_running(self) -> bool:
        """Return whether the job is running, or about to start."""
        newest = self.executions[:1]
        return any(each.status in JobExecution.UNFINISHED for each in newest)

    @property
    def needs_attention(self) -> bool:
        """Return whether somebody should do something about a job that is on."""
        return self.job.enabled and bool(self.obstacles or self.failures)


def job_states(jobs: Sequence[Job]) -> list[JobState]:
    """Return the states of jobs, whose users are loaded."""
    obstacles, recent = obstacles_of(jobs), recent_executions(jobs)
    return [JobState(job, recent[job.pk], obstacles[job.pk]) for job in jobs]


def recent_executions(
    jobs: Iterable[Job], count: int = EXECUTIONS_SHOWN
) -> dict[int, list[JobExecution]]:
    """Return the newest executions of each job, newest first, with two queries.

    Executions in a row that changed nothing count as one. Each job's part is read from
    an index, however many executions there are.
    """
    own = JobExecution.objects.filter(job=OuterRef("pk"), folded=False)
    oldest = own.order_by("-due_at").values("due_at")[count - 1 : count]
    keys = [job.pk for job in jobs]
    since = Job.objects.filter(pk__in=keys).values_list("pk", Subquery(oldest))
    parts = [
        Q(job=key, folded=False, **({} if at is None else {"due_at__gte": at}))
        for key, at in since.order_by()
    ]
    found: dict[int, list[JobExecution]] = defaultdict(list)
    if parts:
        rows = JobExecution.objects.filter(reduce(or_, parts)).only(*_SHOWN, "message")
        for execution in rows.order_by("-due_at", "-pk"):
            found[execution.job_id or 0].append(execution)
    return found


def failing_since(state: JobState) -> datetime.datetime | None:
    """Return when the first of the failures in a row was due, None without any."""
    failures = state.failures
    return failures[-1].due_at if failures else None


def obstacles_of(jobs: Sequence[Job]) -> dict[int, list[str]]:
    """Return why jobs would fail before they do anything, by the key of the job."""
    known, lacking = processors(), rights_missing_to_jobs(jobs)
    labels = RoleLabels(Role)
    found: dict[int, list[str]] = {}
    for job in jobs:
        reasons = list(_of_account(job))
        if job.processor not in known:
            text = _("Its data processor “%(name)s” doesn't exist, or is switched off.")
            reasons.append(text % {"name": job.processor})
        if job.pk in lacking:
            words = {
                "user": job.run_as,
                "rights": names_in_words(lacking[job.pk], labels),
            }
            reasons.append(_("“%(user)s” lacks these rights: %(rights)s.") % words)
        found[job.pk] = reasons
    return found


def _of_account(job: Job) -> Iterable[str]:
    user = job.run_as
    if user is None:
        yield _("The user it runs as was deleted; choose another user.")
    elif not user.is_active:
        yield _("The account “%(user)s” is disabled.") % {"user": user}
    elif user.is_locked and not user.is_service:
        yield _("The account “%(user)s” is locked.") % {"user": user}
