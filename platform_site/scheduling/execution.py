"""One execution of a job, from its definition to what came of it: whatever goes wrong
on the way becomes a sentence for its history, never an exception."""

from __future__ import annotations

import json
import logging
import zoneinfo
from dataclasses import dataclass, field
from typing import Any

from django.conf import settings
from django.core.serializers.json import DjangoJSONEncoder
from django.utils import timezone, translation
from django.utils.translation import gettext as _

from importer import Problem, Refusal
from platform_site.accounts.built_in import JOBS_SCHEDULER
from platform_site.accounts.languages import language_of
from platform_site.accounts.models import User
from platform_site.accounts.security_log import note_job
from platform_site.changes.services import ChangeOrigin, acting_as
from platform_site.processing.services import execute
from platform_site.scheduling.inputs import sentences
from platform_site.scheduling.models import Job, JobExecution

logger = logging.getLogger("platform.scheduling")
Status = JobExecution.Status


@dataclass(frozen=True, slots=True)
class Ending:
    """The end of an execution: a result, or the sentence of its failure."""

    status: Status
    message: str = ""
    result: dict[str, Any] = field(default_factory=dict)


def carry_out(job: Job) -> Ending:
    """Execute the job's processor as its run-as user (IMP-295, IMP-296).

    What came of it is told in the language of that user.
    """
    reader = User.objects.filter(pk=job.run_as_id or 0).first()
    with translation.override(language_of(reader) or settings.LANGUAGE_CODE):
        return _carried_out(job)


def _carried_out(job: Job) -> Ending:
    try:
        # The engine takes an active zone for the caller's wish, except where it is the
        # default one: a copy of its own says that UTC, too, is meant (IMP-106).
        zone = zoneinfo.ZoneInfo.no_cache(str(job.zone))
        # What the scheduler itself writes is its account's, the rest the run-as user's.
        scheduler = User.objects.filter(username=JOBS_SCHEDULER).first()
        with timezone.override(zone), acting_as(scheduler, ChangeOrigin.SCHEDULED_JOB):
            runner = _runner(job)
            note_job(name=job.name, user=runner)
            done = execute(
                job.processor,
                job.input,
                user=runner,
                origin=ChangeOrigin.SCHEDULED_JOB,
            )
            result = json.loads(json.dumps(done.result, cls=DjangoJSONEncoder))
    except Refusal as refusal:
        return Ending(Status.FAILED, "\n".join(sentences(refusal.problems)))
    except Exception:
        # One job that breaks must not take the others with it.
        logger.exception("The job “%s” failed unexpectedly", job)
        return Ending(Status.FAILED, unexpected())
    return Ending(Status.COMPLETED, result=result)


def unexpected() -> str:
    """Return the sentence for what nobody foresaw."""
    return _("The job failed unexpectedly; the server log has the reason.")


def _runner(job: Job) -> User:
    """Return the user the job runs as; a Refusal if there is none who may."""
    # As it is now: the job may have waited, and its user with it.
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
    # A service account never signs in with a password, so its lock means nothing here.
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
