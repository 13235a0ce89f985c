"""The check of the jobs that run as changed accounts."""

from __future__ import annotations

from collections.abc import Iterator

from django.utils.translation import gettext as _

from platform_site.accounts.models import User
from platform_site.scheduling.job_states import obstacles_of
from platform_site.scheduling.models import Job


def jobs_that_fail(users: list[User]) -> Iterator[str]:
    """Yield a sentence for each job that runs as one of the accounts and can't."""
    jobs = Job.objects.filter(run_as__in=users, enabled=True).select_related("run_as")
    found = list(jobs)
    obstacles = obstacles_of(found) if found else {}
    for job in found:
        if obstacles[job.pk]:
            words = {"job": job, "reasons": " ".join(obstacles[job.pk])}
            yield _("The job “%(job)s” will fail: %(reasons)s") % words
