"""The services of notifications: what failed or works again is told to its owners,
often enough to be noticed and seldom enough to be read."""

from __future__ import annotations

import datetime
from collections.abc import Iterable
from typing import Final

from django.conf import settings
from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from platform_site.accounts.built_in import ADMIN
from platform_site.accounts.models import User
from platform_site.notifications.models import (
    LastingFailure,
    Notification,
    OutgoingMail,
)

# A failure that lasts is repeated at this attempt, and then once in this time.
THIRD: Final = 3
AGAIN_AFTER: Final = datetime.timedelta(days=7)
# The newest notifications that are kept for each user.
KEPT: Final = 500


@transaction.atomic
def notify_failure(
    key: str, notification: Notification, *, owners: Iterable[int | None]
) -> None:
    """Count a failure of `key`, and notify its owners of the first, of the third in a
    row, and then once a week.

    Call it in the transaction that records the failure.
    """
    LastingFailure.objects.get_or_create(key=key)
    lasting = LastingFailure.objects.select_for_update().get(key=key)
    lasting.failures += 1
    if _is_due(lasting, notification.at):
        lasting.notified_at = notification.at
        notification.failures = lasting.failures
        _notify(notification, owners)
    lasting.save()


@transaction.atomic
def notify_success(
    key: str, notification: Notification, *, owners: Iterable[int | None]
) -> None:
    """Notify the owners once that `key` works again, if it failed before."""
    lasting = LastingFailure.objects.select_for_update().filter(key=key).first()
    if lasting is not None:
        notification.failures = lasting.failures
        _notify(notification, owners)
        lasting.delete()


def forget_failures(key: str) -> None:
    """Forget the failures of something that was deleted."""
    LastingFailure.objects.filter(key=key).delete()


def unread_count(user: User) -> int:
    """Return the number of notifications that a user hasn't read."""
    return Notification.objects.filter(user=user, read_at=None).count()


def mark_read(user: User, pk: int | None = None) -> None:
    """Mark one notification of a user as read, or all."""
    unread = Notification.objects.filter(user=user, read_at=None)
    (unread if pk is None else unread.filter(pk=pk)).update(read_at=timezone.now())


def _is_due(lasting: LastingFailure, at: datetime.datetime) -> bool:
    if lasting.notified_at is None or lasting.failures == THIRD:
        return True
    return lasting.failures > THIRD and at >= lasting.notified_at + AGAIN_AFTER


def _notify(notification: Notification, owners: Iterable[int | None]) -> None:
    for user, address in _readers(owners):
        row = Notification.objects.create(
            user_id=user,
            kind=notification.kind,
            subject=notification.subject,
            failures=notification.failures,
            reason=notification.reason,
            target_id=notification.target_id,
            at=notification.at,
        )
        if address and settings.EMAIL_HOST:
            OutgoingMail.objects.create(
                notification=row, address=address, due_at=notification.at
            )
        _prune(user)


def _readers(owners: Iterable[int | None]) -> list[tuple[int, str]]:
    """Return keys and e-mail addresses of the owners who can sign in to the pages; if
    there are none, those of the administrators."""
    # Only they see the bell: others use the API alone.
    readers = User.objects.filter(is_active=True, is_staff=True, is_service=False)
    found = readers.filter(pk__in=[pk for pk in owners if pk is not None])
    if not found.exists():
        administrator = Q(is_superuser=True) | Q(groups__name=ADMIN)
        found = readers.filter(administrator).distinct()
    return list(found.order_by("pk").values_list("pk", "email"))


def _prune(user: int) -> None:
    mine = Notification.objects.filter(user=user)
    oldest_kept = mine.order_by("-pk").values_list("pk", flat=True)[KEPT - 1 : KEPT]
    for pk in oldest_kept:
        mine.filter(pk__lt=pk).delete()
