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


def fill(webhook: Webhook) -> int:
    """Write the deliveries of what happened since the last time; return their number."""
    room = MOST_WAITING - waiting(webhook.pk)[:MOST_WAITING].count()
    if room <= 0:
        return 0
    with transaction.atomic():
        rows = Webhook.objects.select_for_update(of=("self",)).select_related("user")
        locked = rows.filter(pk=webhook.pk, enabled=True).first()
        if locked is None:
            return 0
        now = timezone.now()
        # Runs are asked for before their changes are: an import has ended after these.
        sources = list(sources_of(locked))
        events = [event for each in sources for event in each.found(locked, room)]
        written = _write(locked, events)
        locked.seen_at = now
        locked.save(update_fields=["position", "seen_at"])
    return written


def _write(webhook: Webhook, events: Sequence[Event]) -> int:
    mine = Delivery.objects.filter(webhook=webhook)
    keys = [event.key for event in events]
    known = set(mine.filter(key__in=keys).values_list("key", flat=True))
    now = timezone.now()
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
        if event.key not in known
    ]
    Delivery.objects.bulk_create(new)
    return len(new)


def delete_old() -> None:
    """Delete the deliveries that were sent long ago, or that many others followed."""
    sent = Delivery.objects.filter(sent_at__isnull=False)
    sent.filter(sent_at__lt=timezone.now() - KEPT).delete()
    for webhook in Webhook.objects.values_list("pk", flat=True):
        changes = sent.filter(webhook=webhook, type__in=change_events.TYPES)
        newest = changes.order_by("-pk").values_list("pk", flat=True)
        for last in newest[MOST_KEPT : MOST_KEPT + 1]:
            changes.filter(pk__lte=last).delete()
