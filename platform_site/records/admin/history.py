"""Turns the change events of a row into the page behind its History button."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from platform_site.changes.models import ChangeEvent
    from platform_site.records.admin.properties import Properties

PAGE = 50


@dataclass(frozen=True)
class Told:
    """Hold one event with its changes in words: (property, before, after)."""

    event: ChangeEvent
    changes: tuple[tuple[str, str, str], ...]


def told(events: Sequence[ChangeEvent], properties: Properties) -> list[Told]:
    """Put a page of events into words, with one query per table referred to."""
    recorded = [
        {
            name: pair
            for name, pair in event.changes.items()
            if isinstance(pair, list) and len(pair) == len(("before", "after"))
        }
        for event in events
    ]
    texts = properties.texts(recorded)
    return [
        Told(
            event,
            tuple(
                (
                    properties.label(name),
                    properties.text(name, before, texts),
                    properties.text(name, after, texts),
                )
                for name, (before, after) in changes.items()
            ),
        )
        for event, changes in zip(events, recorded, strict=True)
    ]
