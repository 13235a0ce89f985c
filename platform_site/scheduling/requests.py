"""Executions that programs request and don't wait for: data processors that take longer
than a request should."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from importer import LimitReached
from platform_site.accounts.models import ApiKey
from platform_site.processing.services import check
from platform_site.scheduling import history
from platform_site.scheduling.clock import ring
from platform_site.scheduling.models import JobExecution

MOST_UNFINISHED: Final = 20


def request_execution(
    name: str,
    data: Mapping[str, Any],
    *,
    user: Any,
    api_key: ApiKey | None = None,
    time_zone: str = "",
) -> JobExecution:
    """Have a processor executed as `user` with wire values, once a thread is free.

    Raise a Refusal for what is known to be wrong now: the right, the input, or too many
    requests that aren't done.
    """
    check(name, data, user=user, time_zone=time_zone)
    with transaction.atomic():
        _refuse_too_many(user)
        execution = history.store(
            JobExecution(
                processor=name,
                input=dict(data),
                time_zone=time_zone,
                due_at=timezone.now(),
                started_by=user.get_username(),
                requested_by_id=user.pk,
                api_key=api_key,
            )
        )
        transaction.on_commit(ring)
    return execution


def _refuse_too_many(user: Any) -> None:
    unfinished = JobExecution.objects.filter(
        requested_by=user.pk, status__in=JobExecution.UNFINISHED
    ).count()
    if unfinished < MOST_UNFINISHED:
        return
    reason = _(
        "%(count)s of your requests are not done yet, and more aren't accepted. Wait "
        "until one has ended."
    ) % {"count": unfinished}
    raise LimitReached.of(
        reason, limit="unfinishedExecutions", used=unfinished, allowed=MOST_UNFINISHED
    )
