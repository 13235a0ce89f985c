"""The events that webhooks are told of, and the registry of what they come from."""

from __future__ import annotations

import datetime
import functools
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final

import msgspec
from django.utils.module_loading import autodiscover_modules
from rest_framework.renderers import JSONRenderer

from platform_site.webhooks.models import Delivery, Webhook

# Commits may be seen late, and clocks of several nodes may differ.
_OVERLAP: Final = datetime.timedelta(minutes=10)
_AT_ONCE: Final = 500


class Event(msgspec.Struct, frozen=True):
    """Something that happened. Two events are the same if their keys are."""

    key: str
    type: str
    at: datetime.datetime
    # Only what hasn't been written yet is asked for its data.
    data: Callable[[], Any]

    @property
    def body(self) -> str:
        """Return the body of its message."""
        content = {"type": self.type, "timestamp": self.at, "data": self.data()}
        return JSONRenderer().render(content).decode()


class Look:
    """What a webhook is told next: the sources move its position, and say from when on
    they have to be asked again."""

    def __init__(self, webhook: Webhook, now: datetime.datetime) -> None:
        self.webhook, self.now = webhook, now
        self.position: int = webhook.position
        self.seen_at = now

    @property
    def since(self) -> datetime.datetime:
        """Return from when on ended runs and executions may be new."""
        return max(self.webhook.created_at, self.webhook.seen_at - _OVERLAP)

    def left(self, at: datetime.datetime) -> None:
        """Remember that what ended then has been left for later."""
        self.seen_at = min(self.seen_at, at)

    def new(
        self, ended: Iterable[tuple[str, Any, datetime.datetime]], most: int
    ) -> list[Any]:
        """Return the rows of which nothing is written yet, at most a number; ``ended``
        has their message keys, their own keys, and when they ended, in this order."""
        found: list[Any] = []
        rows = list(ended)
        for start in range(0, len(rows), _AT_ONCE):
            part = rows[start : start + _AT_ONCE]
            known = written(self.webhook, [key for key, _row, _at in part])
            for key, row, at in part:
                if key in known:
                    continue
                if len(found) == most:
                    self.left(at)
                    return found
                found.append(row)
        return found


def written(webhook: Webhook, keys: Collection[str]) -> set[str]:
    """Return which messages there are already."""
    mine = Delivery.objects.filter(webhook=webhook, key__in=keys)
    return set(mine.values_list("key", flat=True)) if keys else set()


@dataclass(frozen=True, slots=True)
class EventSource:
    """Where events of some types come from.

    ``found`` returns the next ones, at most a number of them, perhaps some that are
    written already. ``seen_by`` says whether a user may know of them.
    """

    types: Collection[str]
    found: Callable[[Look, int], Iterator[Event]]
    seen_by: Callable[[Any], bool]


_sources: Final[dict[Any, EventSource]] = {}


def register_source(source: EventSource) -> None:
    """Register a source; its function takes the place of the same one."""
    _sources[source.found] = source


def _all() -> Iterable[EventSource]:
    """Return the sources of all apps, in the order of the apps; each may have a module
    ``webhook_sources.py`` that registers some."""
    _discover()
    return list(_sources.values())


@functools.cache
def _discover() -> None:
    autodiscover_modules("webhook_sources")


def sources_of(webhook: Webhook) -> Iterator[EventSource]:
    """Yield the sources of what a webhook wants and its user may know of."""
    for source in _all():
        wanted = any(webhook.wants(kind) for kind in source.types)
        if wanted and source.seen_by(webhook.user):
            yield source


def unseen_by(user: Any, types: Collection[str]) -> list[str]:
    """Return the types of events that a user may not know of."""
    seen: set[str] = set()
    for source in _all():
        if source.seen_by(user):
            seen.update(source.types)
    return [kind for kind in types if kind not in seen]


def message_key(name: str, row: Any, at: datetime.datetime) -> str:
    """Return the key of a message: after a database was restored, another row may have
    the same number."""
    return f"{name}-{row}-{int(at.timestamp() * 1000)}"
