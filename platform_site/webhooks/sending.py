"""The sending of deliveries: those of one webhook one after the other, in their order.

An attempt is counted before it is made, so a message is sent once more if the process dies
meanwhile. While one is refused, those behind it wait.
"""

from __future__ import annotations

import datetime
import http
import logging
import time
from collections.abc import Iterator
from contextlib import closing
from typing import Final, NamedTuple

from django.conf import settings
from django.db.models import Q, QuerySet
from django.utils import timezone

from platform_site.webhooks.models import LONGEST_ERROR, Delivery, Webhook, waiting
from platform_site.webhooks.outbox import fill, has_news
from platform_site.webhooks.posting import ReceiverConnection
from platform_site.webhooks.services import disable
from platform_site.webhooks.signing import signed_headers

logger = logging.getLogger("platform.webhooks")
# Until the next attempt, in minutes: three days in all.
PAUSES: Final = (1, 5, 30, 120, 300, 600, 840, 1200, 1440)
_LONGEST_PAUSE: Final = datetime.timedelta(minutes=PAUSES[-1])
# How long one webhook is sent for before another has its turn, and all of them.
_TURN_SECONDS: Final = 5.0
_PASS_SECONDS: Final = 60.0
# Longer than a turn with the slowest message; afterwards another process may send.
_CLAIM: Final = datetime.timedelta(seconds=60)


class Turn(NamedTuple):
    """What a turn of one webhook came to: how many messages were accepted, and whether
    there may be more to do."""

    sent: int = 0
    goes_on: bool = False


def is_due(now: datetime.datetime) -> bool:
    """Return whether there is something to tell a webhook, or to tell it again."""
    return any(
        waiting(webhook).filter(_due(now)).exists() or has_news(webhook)
        for webhook in _served().select_related("user")
    )


def send_due(now: datetime.datetime) -> int:
    """Send what is due to all webhooks in turns; return how many were accepted."""
    end, sent = time.monotonic() + _PASS_SECONDS, 0
    busy = list(_served().order_by("pk").values_list("pk", flat=True))
    while busy:
        more = []
        for pk in busy:
            if time.monotonic() > end:
                return sent
            turn = _safe_turn(pk)
            sent += turn.sent
            if turn.goes_on:
                more.append(pk)
        busy = more
    return sent


def _safe_turn(pk: int) -> Turn:
    """Serve one webhook, whose trouble is no reason to leave out the others."""
    try:
        return serve(pk)
    except Webhook.DoesNotExist:
        return Turn()
    except Exception:
        logger.exception("Nothing can be sent to the webhook %s just now", pk)
        return Turn()


def serve(pk: int) -> Turn:
    """Send the due deliveries of one webhook for a while.

    Another process that does so leaves nothing to do.
    """
    now = timezone.now()
    free = Q(claimed_until=None) | Q(claimed_until__lte=now)
    # A time far ahead is of a clock that has been set back.
    free |= Q(claimed_until__gt=now + 2 * _CLAIM)
    if not _served().filter(free, pk=pk).update(claimed_until=now + _CLAIM):
        return Turn()
    try:
        return _sent_for(pk, time.monotonic() + _TURN_SECONDS)
    finally:
        Webhook.objects.filter(pk=pk).update(claimed_until=None)


def _sent_for(pk: int, end: float) -> Turn:
    webhook = _served().select_related("user").get(pk=pk)
    _written, has_moved = fill(webhook)
    sent = 0
    with closing(ReceiverConnection(webhook.url)) as line:
        for delivery in _until_not_due(webhook):
            if not _send(pk, delivery, line):
                return Turn(sent)
            sent += 1
            if time.monotonic() > end:
                break
    return Turn(sent, goes_on=bool(sent) or has_moved)


def _served() -> QuerySet[Webhook]:
    if not settings.PLATFORM_WEBHOOKS_ENABLED:
        return Webhook.objects.none()
    return Webhook.objects.filter(enabled=True, user__is_active=True)


def _due(now: datetime.datetime) -> Q:
    """Return the condition that an attempt is due, also after the clock was set back."""
    return Q(due_at__lte=now) | Q(due_at__gt=now + _LONGEST_PAUSE)


def _until_not_due(webhook: Webhook) -> Iterator[Delivery]:
    """Yield the waiting deliveries up to the first that isn't due yet."""
    for delivery in waiting(webhook):
        now = timezone.now()
        if delivery.due_at and now < delivery.due_at <= now + _LONGEST_PAUSE:
            return
        yield delivery


def _send(pk: int, delivery: Delivery, line: ReceiverConnection) -> bool:
    """Make one attempt; return whether the receiver accepted the message."""
    # It may have been disabled, or changed, since the last message.
    webhook = _served().filter(pk=pk).first()
    if webhook is None or webhook.url != line.url:
        return False
    now, stored = timezone.now(), Delivery.objects.filter(pk=delivery.pk)
    attempts = delivery.attempts + 1
    pause = datetime.timedelta(minutes=PAUSES[min(attempts, len(PAUSES)) - 1])
    stored.update(attempts=attempts, due_at=now + pause)
    body = delivery.body.encode()
    signed = signed_headers(
        webhook.secret, key=delivery.key, timestamp=int(now.timestamp()), body=body
    )
    named = {"Content-Type": "application/json", "User-Agent": "platform-webhooks"}
    answer = line.post(body, {**named, **signed})
    if not answer.error:
        done = {"sent_at": timezone.now(), "due_at": None}
        stored.update(status=answer.status, error="", **done)
        return True
    error = answer.error[:LONGEST_ERROR]
    stored.update(status=answer.status, error=error)
    logger.warning("A message to the webhook %s failed: %s", pk, error)
    if attempts > len(PAUSES) or answer.status == http.HTTPStatus.GONE:
        disable(webhook, error)
    return False
