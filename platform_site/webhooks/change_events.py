"""Events from the change history: changed rows and posted documents, as `/Changes`
answers them."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any, Final

from django.db.models import QuerySet

from platform_site.changes.api import ChangeEventSerializer, viewable
from platform_site.changes.feed import end_of_feed
from platform_site.changes.models import ChangeEvent
from platform_site.webhooks.events import (
    Event,
    EventSource,
    Look,
    message_key,
    register_source,
)
from platform_site.webhooks.models import OF_CHANGES, EventType, Webhook

# Imports and the API post a document together with its other values.
_IS_POSTED: Final = "isActive"


def register() -> None:
    """Register the change history as a source of events."""
    register_source(EventSource(OF_CHANGES, found, lambda user: True))


def found(look: Look, most: int) -> Iterator[Event]:
    """Yield the events of up to ``most`` changes, and move the position past them.

    The feed has them in the order in which they became visible, so none is missed.
    """
    end = end_of_feed()
    changes = _visible(look.webhook).filter(id__gt=look.position, id__lte=end)
    found = list(changes.order_by("id")[:most])
    for change in found:
        yield from _events_of(look.webhook, change)
    look.position = found[-1].pk if len(found) == most else max(look.position, end)


def last_told() -> tuple[int, Webhook] | None:
    """Return up to which change every webhook has been told, and the webhook that was
    told of the fewest; None if no webhook is told of changes.

    A disabled one counts too: once it is enabled, it is told of all that happened.
    """
    following = [hook for hook in Webhook.objects.all() if hook.follows_changes]
    last = min(following, key=lambda hook: hook.position, default=None)
    return None if last is None else (last.position, last)


def _visible(webhook: Webhook) -> QuerySet[ChangeEvent]:
    user, wanted = webhook.user, set(webhook.kinds)
    rows: QuerySet[ChangeEvent] = ChangeEvent.objects.all()
    if not user.has_perm("changes.view_changeevent"):
        seen = viewable(user)
        wanted = wanted.intersection(seen) if wanted else set(seen)
        return rows.filter(model__in=wanted)
    return rows.filter(model__in=wanted) if wanted else rows


def _events_of(webhook: Webhook, change: ChangeEvent) -> Iterator[Event]:
    kinds = []
    if webhook.wants(EventType.RECORD_CHANGED):
        kinds.append(("change", EventType.RECORD_CHANGED))
    if webhook.wants(EventType.DOCUMENT_POSTED) and _is_posting(change):
        kinds.append(("posting", EventType.DOCUMENT_POSTED))
    for name, kind in kinds:
        key = message_key(name, change.pk, change.at)
        yield Event(key, kind.value, change.at, partial(_data_of, change))


def _data_of(change: ChangeEvent) -> Any:
    return ChangeEventSerializer(change).data


def _is_posting(change: ChangeEvent) -> bool:
    """Return whether a change has posted a document, perhaps with other values."""
    if change.action == ChangeEvent.Action.POSTED:
        return True
    values = change.changes.get(_IS_POSTED)
    return bool(values and values[-1] and not values[0])
