"""The notifications about jobs: a job that fails is reported to its owners until it works
again."""

from __future__ import annotations

import datetime

from django.utils.translation import gettext as _

from importer.models import ImportRun
from platform_site.accounts.models import User
from platform_site.changes.models import ChangeEvent
from platform_site.notifications.models import Notification
from platform_site.notifications.services import (
    forget_failures,
    notify_failure,
    notify_success,
)
from platform_site.scheduling.models import Job, JobExecution
from platform_site.scheduling.starters import starter_key


def notify_owners(
    execution: JobExecution, *, failed: bool, reason: str, at: datetime.datetime
) -> None:
    """Notify the owners of a job of an end that is news; call it in the transaction
    that records this end.

    An execution whose import had errors counts as a failure. What a program requested
    has no owners: the program asks for its end.
    """
    job, kind = execution.job, Notification.Kind.JOB_FAILED
    if job is None:
        return
    if not failed:
        failed, reason = _errors_of(execution)
        kind = Notification.Kind.JOB_HAD_ERRORS
    notification = Notification(
        kind=kind if failed else Notification.Kind.JOB_RECOVERED,
        subject=job.name,
        reason=reason,
        target_id=execution.pk,
        at=at,
    )
    notify = notify_failure if failed else notify_success
    notify(_key(job), notification, owners=_owners(job, execution))


def _errors_of(execution: JobExecution) -> tuple[bool, str]:
    """Return whether imports of an execution had errors, and what to do."""
    runs = ImportRun.objects.real().filter(
        started_via=ImportRun.StartedVia.JOB,
        starter=starter_key(execution.job_id, execution.pk),
        has_errors=True,
    )
    if not runs.exists():
        return False, ""
    return True, _(
        "Some objects were not imported. The report of the import has the causes."
    )


def forget_job(job: Job) -> None:
    """Forget the failures of a job that is deleted."""
    forget_failures(_key(job))


def _key(job: Job) -> str:
    return f"job:{job.pk}"


def _owners(job: Job, execution: JobExecution) -> list[int | None]:
    """Return whom the job runs as, who changed it last, and who pressed Run now."""
    changes = ChangeEvent.objects.filter(model=Job.catalog_name, row_id=job.pk)
    changed_by = changes.order_by("-at", "-pk").values_list("user_id", flat=True)
    started_by = User.objects.filter(username=execution.started_by)
    return [job.run_as_id, *changed_by[:1], *started_by.values_list("pk", flat=True)]
