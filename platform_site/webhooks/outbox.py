"""The deliveries of each webhook: written in the order of what happened, a few ahead of
those that are sent, and deleted some time afterwards.

What happened is in the change history and in the tables of runs and executions, which are
written in its own transaction. So nothing is lost if the server dies at any moment, and
writers don't pay for webhooks.
"""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from typing import Final

from django.db import transaction
from django.utils import timezone

from platform_site.webhooks import change_events
from platform_site.webhooks.events import Event, sources_of
from platform_site.webhooks.models import Delivery, Webhook, waiting

# So many wait at most; the rest stays where it is until these are sent.
MOST_WAITING: Final = 500
# What was sent is kept so long, to look at and to send it again.
KEPT: Final = datetime.timedelta(days=7)
# Imports change many rows at once: so many of their deliveries are kept.
MOST_KEPT: Final = 1000
# Without news, the time of the last look is stored this often.
_SEEN_ENOUGH: Final = datetime.timedelta(minutes=1)


def fill(webhook: Webhook) -> int:
    """Write the deliveries of what happened since the last time; return their number.

    If nothing happened, nothing is written.
    """
    room = MOST_WAITING - waiting(webhook.pk)[:MOST_WAITING].count()
    if room <= 0:
        return 0
    now, position = timezone.now(), webhook.position
    events = _unwritten(webhook, _found(webhook, room))
    if not events and webhook.position == position and _is_current(webhook, now):
        return 0
    with transaction.atomic():
        mine = Webhook.objects.filter(pk=webhook.pk, enabled=True)
        if not mine.update(position=webhook.position, seen_at=now):
            return 0
        # Not in the zone of whoever happens to send.
        with timezone.override(datetime.UTC):
            _write(webhook, events, now)
    return len(events)


def has_news(webhook: Webhook) -> bool:
    """Return whether there is something to write."""
    position = webhook.position
    if _unwritten(webhook, _found(webhook, 1)) or webhook.position != position:
        return True
    return not _is_current(webhook, timezone.now())


def _is_current(webhook: Webhook, now: datetime.datetime) -> bool:
    """Return whether it was looked for events a moment ago, by a clock that wasn't set
    back since then."""
    return abs(now - webhook.seen_at) < _SEEN_ENOUGH


def _found(webhook: Webhook, room: int) -> list[Event]:
    """Return the events of all sources in the order of the sources, which are asked the
    other way round: the changes of an import are there when it has ended."""
    sources = [*sources_of(webhook)]
    found = [list(each.found(webhook, room)) for each in reversed(sources)]
    return [event for events in reversed(found) for event in events]


def _unwritten(webhook: Webhook, events: Sequence[Event]) -> list[Event]:
    keys = [event.key for event in events]
    mine = Delivery.objects.filter(webhook=webhook, key__in=keys)
    known = set(mine.values_list("key", flat=True)) if keys else set()
    return [event for event in events if event.key not in known]


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
        changes = sent.filter(webhook=webhook, type__in=change_events.TYPES)
        newest = changes.order_by("-pk").values_list("pk", flat=True)
        for last in newest[MOST_KEPT : MOST_KEPT + 1]:
            changes.filter(pk__lte=last).delete()
