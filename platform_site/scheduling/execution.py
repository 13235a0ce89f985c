"""The execution of jobs, and of processors that a program requested. Any error becomes a
sentence for the history, never an exception."""

from __future__ import annotations

import json
import logging
import zoneinfo
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from django.conf import settings
from django.core.serializers.json import DjangoJSONEncoder
from django.utils import timezone, translation
from django.utils.translation import gettext as _

from importer import Problem, Refusal
from importer.models import ImportRun
from platform_site.accounts.built_in import JOBS_SCHEDULER
from platform_site.accounts.languages import language_of
from platform_site.accounts.models import User
from platform_site.accounts.security_log import note_job
from platform_site.changes.services import ChangeOrigin, acting_as
from platform_site.processing.services import Execution, execute
from platform_site.processing.started_via import starting_runs
from platform_site.scheduling.inputs import sentences
from platform_site.scheduling.models import Job, JobExecution
from platform_site.scheduling.starters import starter_key

logger = logging.getLogger("platform.scheduling")
Status = JobExecution.Status


@dataclass(frozen=True, slots=True)
class Ending:
    """The end of an execution: a result, or the message of a failure."""

    status: Status
    message: str = ""
    result: dict[str, Any] = field(default_factory=dict)


def carry_out(execution: JobExecution) -> Ending:
    """Carry out an execution that was begun."""
    if execution.job is None:
        return carry_out_request(execution)
    return carry_out_job(execution.job, execution.pk)


def carry_out_job(job: Job, execution: int | None = None) -> Ending:
    """Execute the job's processor as its user (IMP-295, IMP-296).

    The result is in the language of that user. Runs of imports remember the job and the
    key of its execution.
    """
    starter = f"{ImportRun.StartedVia.JOB}:{starter_key(job.pk, execution)}"
    reader = User.objects.filter(pk=job.run_as_id or 0).first()
    with translation.override(_language(reader)), starting_runs(starter):
        return _ending(str(job), partial(_execute_job, job))


def carry_out_request(execution: JobExecution) -> Ending:
    """Execute the processor that a program requested, with the rights of its user and
    key."""
    with translation.override(_language(execution.requested_by)):
        return _ending(execution.what, partial(_execute_request, execution))


def _language(reader: User | None) -> str:
    return language_of(reader) or settings.LANGUAGE_CODE


def _execute_job(job: Job) -> Execution:
    # The engine uses an active zone only if it isn't the default object. A copy of
    # UTC therefore counts as set (IMP-106).
    zone = zoneinfo.ZoneInfo.no_cache(str(job.zone))
    # The scheduler's own writes are in its name, all others in that of the user.
    scheduler = User.objects.filter(username=JOBS_SCHEDULER).first()
    with timezone.override(zone), acting_as(scheduler, ChangeOrigin.SCHEDULED_JOB):
        runner = _runner(job)
        note_job(name=job.name, user=runner)
        return execute(
            job.processor, job.input, user=runner, origin=ChangeOrigin.SCHEDULED_JOB
        )


def _execute_request(execution: JobExecution) -> Execution:
    key = execution.api_key
    user = execution.requested_by if key is None else key.acting_user()
    if user is None or not user.is_active:
        raise _refused(_("The user who requested this was deleted or disabled."))
    if key is not None and not key.is_good:
        raise _refused(_("The API key with which this was requested is revoked."))
    return execute(
        execution.processor,
        execution.input,
        user=user,
        origin=ChangeOrigin.USER if key is None else key.origin,
        time_zone=execution.time_zone,
    )


def _ending(name: str, work: Callable[[], Execution]) -> Ending:
    """Return how an execution ends."""
    try:
        result = json.loads(json.dumps(work().result, cls=DjangoJSONEncoder))
    except Refusal as refusal:
        return Ending(Status.FAILED, "\n".join(sentences(refusal.problems)))
    except Exception:
        # A failing job must not stop others.
        logger.exception("The job “%s” failed unexpectedly", name)
        return Ending(Status.FAILED, unexpected())
    return Ending(Status.COMPLETED, result=result)


def unexpected() -> str:
    """Return the message for an unforeseen error."""
    return _("The job failed unexpectedly; see the server log for the reason.")


def _runner(job: Job) -> User:
    """Return the user the job runs as; raise Refusal if there is none who may."""
    # Loaded again, because the job may have waited.
    user = None
    if job.run_as_id is not None:
        user = User.objects.filter(pk=job.run_as_id).first()
    if user is None:
        raise _refused(_("The user this job runs as was deleted; choose another user."))
    if not user.is_active:
        raise _refused(
            _(
                "The job runs as “%(user)s”, whose account is disabled; "
                "enable it, or choose another user."
            )
            % {"user": user}
        )
    # Service accounts never sign in with a password, so their lock doesn't matter.
    if user.is_locked and not user.is_service:
        raise _refused(
            _(
                "The job runs as “%(user)s”, whose account is locked; unlock"
                " it, or choose another user."
            )
            % {"user": user}
        )
    return user


def _refused(message: str) -> Refusal:
    return Refusal([Problem("", message)])
