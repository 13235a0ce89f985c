"""The sending of deliveries: those of one webhook one after the other, in their order.

An attempt is counted before it is made, so a message is sent once more if the process dies
meanwhile. While one is refused, those behind it wait.
"""

from __future__ import annotations

import datetime
import http.client
import logging
import ssl
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from django.conf import settings
from django.db.models import Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from platform_site.processing.checked_connection import (
    CheckedConnection,
    PrivateAddress,
    https_parts,
    path_of,
)
from platform_site.webhooks.models import LONGEST_ERROR, Delivery, Webhook, waiting
from platform_site.webhooks.outbox import fill, has_news
from platform_site.webhooks.services import disable
from platform_site.webhooks.signing import signed_headers

logger = logging.getLogger("platform.webhooks")
# Until the next attempt, in minutes: three days in all.
PAUSES: Final = (1, 5, 30, 120, 300, 600, 840, 1200, 1440)
# A receiver has so much time for one message.
SECONDS: Final = 15.0
# How long one webhook is sent for before another has its turn, and all of them.
_TURN_SECONDS: Final = 5.0
_PASS_SECONDS: Final = 60.0
# Longer than a turn with the slowest message; afterwards another process may send.
_CLAIM: Final = datetime.timedelta(seconds=60)
_MOST_READ: Final = 1 << 16


def is_due(now: datetime.datetime) -> bool:
    """Return whether there is something to tell a webhook, or to tell it again."""
    return any(
        waiting(webhook).filter(due_at__lte=now).exists() or has_news(webhook)
        for webhook in _served().select_related("user")
    )


def send_due(now: datetime.datetime) -> int:
    """Send what is due to all webhooks in turns; return how many were accepted."""
    end, sent = time.monotonic() + _PASS_SECONDS, 0
    busy = list(_served().values_list("pk", flat=True))
    while busy and time.monotonic() < end:
        counts = {pk: serve(pk) for pk in busy}
        sent += sum(counts.values())
        busy = [pk for pk, count in counts.items() if count]
    return sent


def serve(pk: int) -> int:
    """Send the due deliveries of one webhook for a while; return how many were accepted.

    Another process that does so leaves nothing to do.
    """
    now = timezone.now()
    free = Q(claimed_until=None) | Q(claimed_until__lte=now)
    # A time far ahead is of a clock that has been set back.
    free |= Q(claimed_until__gt=now + 2 * _CLAIM)
    mine = Webhook.objects.filter(pk=pk)
    if not _served().filter(free, pk=pk).update(claimed_until=now + _CLAIM):
        return 0
    sent, end = 0, time.monotonic() + _TURN_SECONDS
    try:
        webhook = mine.get()
        fill(webhook)
        for delivery in _due(webhook):
            if not _send(webhook, delivery):
                break
            sent += 1
            if time.monotonic() > end:
                break
    finally:
        mine.update(claimed_until=None)
    return sent


def _served() -> QuerySet[Webhook]:
    return Webhook.objects.filter(enabled=True, user__is_active=True)


def _due(webhook: Webhook) -> Iterator[Delivery]:
    """Yield the waiting deliveries up to the first that isn't due yet."""
    for delivery in waiting(webhook):
        if delivery.due_at is not None and delivery.due_at > timezone.now():
            return
        yield delivery


@dataclass(frozen=True, slots=True)
class _Answer:
    """What came of an attempt: the status of the response, and why it failed."""

    status: int | None = None
    error: str = ""


def _send(webhook: Webhook, delivery: Delivery) -> bool:
    """Make one attempt; return whether the receiver accepted the message."""
    now = timezone.now()
    is_last = delivery.attempts >= len(PAUSES)
    delivery.attempts += 1
    pause = PAUSES[min(delivery.attempts, len(PAUSES)) - 1]
    delivery.due_at = now + datetime.timedelta(minutes=pause)
    delivery.save(update_fields=["attempts", "due_at"])
    answer = _post(webhook, delivery, int(now.timestamp()))
    delivery.status, delivery.error = answer.status, answer.error[:LONGEST_ERROR]
    if not answer.error:
        delivery.sent_at, delivery.due_at = timezone.now(), None
    delivery.save(update_fields=["status", "error", "sent_at", "due_at"])
    if not answer.error:
        return True
    logger.warning("A message to the webhook %s failed: %s", webhook.pk, answer.error)
    if is_last or answer.status == http.HTTPStatus.GONE:
        disable(webhook, answer.error)
    return False


def _post(webhook: Webhook, delivery: Delivery, timestamp: int) -> _Answer:
    parts, body = https_parts(webhook.url), delivery.body.encode()
    if parts is None:
        return _Answer(error=_("The address doesn't begin with https://."))
    headers = {
        "Content-Type": "application/json",
        "User-Agent": "platform-webhooks",
        **signed_headers(
            webhook.secret, key=delivery.key, timestamp=timestamp, body=body
        ),
    }
    connection = CheckedConnection(
        parts,
        deadline=time.monotonic() + SECONDS,
        private=settings.PLATFORM_WEBHOOKS_ALLOW_PRIVATE,
    )
    try:
        connection.request("POST", path_of(parts), body, headers)
        response = connection.getresponse()
        said = response.read(_MOST_READ)
    except PrivateAddress:
        sentence = _(
            "%(host)s is in a private network; set Webhooks:AllowPrivate to true to "
            "allow it."
        )
        return _Answer(error=sentence % {"host": parts.hostname})
    except TimeoutError:
        sentence = _("%(host)s didn't answer within %(seconds)g seconds.")
        return _Answer(error=sentence % {"host": parts.hostname, "seconds": SECONDS})
    except ssl.SSLCertVerificationError as error:
        sentence = _("The certificate of %(host)s is not accepted: %(reason)s.")
        reason = error.verify_message.rstrip(".")
        return _Answer(error=sentence % {"host": parts.hostname, "reason": reason})
    except (OSError, http.client.HTTPException, UnicodeError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error) or type(error).__name__
        sentence = _("%(host)s can't be reached: %(reason)s.")
        return _Answer(error=sentence % {"host": parts.hostname, "reason": reason})
    finally:
        connection.close()
    if response.status // 100 == http.HTTPStatus.OK // 100:
        return _Answer(response.status)
    sentence = _("%(host)s answered %(status)s %(reason)s: %(said)s")
    words: dict[str, Any] = {
        "host": parts.hostname,
        "status": response.status,
        "reason": response.reason,
        "said": " ".join(said.decode("utf-8", "replace").split()),
    }
    return _Answer(response.status, (sentence % words).rstrip(": "))
