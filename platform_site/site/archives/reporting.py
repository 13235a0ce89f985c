"""Notifications to administrators about backups: a failure, the third in a row, and when
it works again."""

from __future__ import annotations

import logging

from django.db import DatabaseError
from django.utils import timezone

from platform_site.notifications.models import Notification
from platform_site.notifications.services import notify_failure, notify_success

logger = logging.getLogger("platform.backups")


def report(subject: str, problem: str, *, unchecked: str = "") -> None:
    """Report how a backup, an off-site copy or a restore drill ended.

    `problem` is empty if it worked, and `unchecked` says what a drill could not check. A
    database that can't be written must not stop backups.
    """
    kind = Notification.Kind
    notification = Notification(
        kind=kind.BACKUP_FAILED if problem else kind.BACKUP_RECOVERED,
        subject=subject,
        reason=problem or unchecked,
        at=timezone.now(),
    )
    notify = notify_failure if problem else notify_success
    try:
        notify(f"backups:{subject}", notification, owners=[])
    except DatabaseError as error:
        logger.error("Administrators can't be notified about backups: %s", error)
