"""The events that webhooks are told of, and the registry of what they come from."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from typing import Any, Final

import msgspec
from rest_framework.renderers import JSONRenderer

from platform_site.webhooks.models import Webhook

# Commits may be seen late, and clocks of several nodes may differ.
OVERLAP: Final = datetime.timedelta(minutes=10)


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


@dataclass(frozen=True, slots=True)
class Source:
    """Where events of some types come from.

    ``found`` returns those since the webhook was last asked about, or earlier ones again;
    at most a number of them, if there can be many at once. ``seen_by`` says whether a
    user may know of them.
    """

    types: Collection[str]
    found: Callable[[Webhook, int], Iterator[Event]]
    seen_by: Callable[[Any], bool]


_sources: Final[dict[Any, Source]] = {}


def register_source(source: Source) -> None:
    """Register a source; its function takes the place of the same one."""
    _sources[source.found] = source


def sources_of(webhook: Webhook) -> Iterator[Source]:
    """Yield the sources of what a webhook wants and its user may know of."""
    for source in _sources.values():
        wanted = any(webhook.wants(kind) for kind in source.types)
        if wanted and source.seen_by(webhook.user):
            yield source


def unseen_by(user: Any, types: Collection[str]) -> list[str]:
    """Return the types of events that a user may not know of."""
    seen: set[str] = set()
    for source in _sources.values():
        if source.seen_by(user):
            seen.update(source.types)
    return [kind for kind in types if kind not in seen]
