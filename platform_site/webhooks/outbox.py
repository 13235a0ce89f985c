"""The deliveries of each webhook: written in the order of what happened, a few ahead of
those that are sent, and deleted some time afterwards.

What happened is in the change history and in the tables of runs and executions, which are
written in its own transaction. So nothing is lost if the server dies at any moment, and
writing doesn't take longer because of webhooks.
"""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from typing import Final

from django.db import transaction
from django.utils import timezone

from platform_site.webhooks.events import Event, Look, sources_of, written
from platform_site.webhooks.models import OF_CHANGES, Delivery, Webhook, waiting

# So many wait at most; the rest stays where it is until these are sent.
MOST_WAITING: Final = 500
# What was sent is kept so long, to look at and to send it again.
KEPT: Final = datetime.timedelta(days=7)
# Imports change many rows at once: so many of their deliveries are kept.
MOST_KEPT: Final = 1000
# Without news, the time of the last look is stored this often.
_SEEN_ENOUGH: Final = datetime.timedelta(minutes=1)


def fill(webhook: Webhook) -> tuple[int, bool]:
    """Write the deliveries of what happened since the last time; return their number,
    and whether the webhook moved on.

    If nothing happened, nothing is written.
    """
    look, events = _next(webhook, MOST_WAITING)
    if not _is_news(look, events):
        return 0, False
    with transaction.atomic():
        # A process that was thought dead doesn't set it back.
        mine = Webhook.objects.filter(pk=webhook.pk, enabled=True)
        mine = mine.filter(position=webhook.position)
        if not mine.update(position=look.position, seen_at=look.seen_at):
            return 0, False
        # Not in the zone of whoever happens to send.
        with timezone.override(datetime.UTC):
            _write(webhook, events, look.now)
    return len(events), look.position != webhook.position


def has_news(webhook: Webhook) -> bool:
    """Return whether there is something to write, and room for it."""
    return _is_news(*_next(webhook, 1))


def _next(webhook: Webhook, most: int) -> tuple[Look, list[Event]]:
    """Return the next events that aren't written yet, in their order, none while too
    many wait."""
    look = Look(webhook, timezone.now())
    room = MOST_WAITING - waiting(webhook.pk)[:MOST_WAITING].count()
    if room <= 0:
        look.left(webhook.seen_at)
        return look, []
    room = min(room, most)
    found = [event for each in sources_of(webhook) for event in each.found(look, room)]
    known: set[str] = set()
    for start in range(0, len(found), MOST_WAITING):
        part = found[start : start + MOST_WAITING]
        known |= written(webhook, [event.key for event in part])
    return look, [event for event in found if event.key not in known]


def _is_news(look: Look, events: Sequence[Event]) -> bool:
    """Return whether something happened, or the time of the last look is old, by a clock
    that may have been set back."""
    if events or look.position != look.webhook.position:
        return True
    return abs(look.seen_at - look.webhook.seen_at) >= _SEEN_ENOUGH


def _write(webhook: Webhook, events: Sequence[Event], now: datetime.datetime) -> None:
    new = [
        Delivery(
            webhook=webhook,
            key=event.key,
            type=event.type,
            body=event.body,
            created_at=now,
            due_at=now,
        )
        for event in events
    ]
    # Another process that was thought dead may have written some.
    Delivery.objects.bulk_create(new, ignore_conflicts=True)


def delete_old() -> None:
    """Delete the deliveries that were sent long ago, or that many others followed."""
    sent = Delivery.objects.filter(sent_at__isnull=False)
    sent.filter(sent_at__lt=timezone.now() - KEPT).delete()
    for webhook in Webhook.objects.values_list("pk", flat=True):
        changes = sent.filter(webhook=webhook, type__in=OF_CHANGES)
        newest = changes.order_by("-pk").values_list("pk", flat=True)
        for last in newest[MOST_KEPT : MOST_KEPT + 1]:
            changes.filter(pk__lte=last).delete()
