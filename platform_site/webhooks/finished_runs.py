"""The event that an import ended."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any, Final

from importer import registry
from importer.api import ImportRunSerializer
from importer.models import ImportRun
from platform_site.changes.models import ChangeEvent
from platform_site.webhooks.events import (
    Event,
    EventSource,
    Look,
    message_key,
    register_source,
)
from platform_site.webhooks.models import EventType

TYPES: Final = (EventType.RUN_FINISHED,)


def register() -> None:
    """Register the imports as a source of events."""
    register_source(EventSource(TYPES, found, registry.may_import))


def found(look: Look, most: int) -> Iterator[Event]:
    """Yield the runs that have ended; one whose changes aren't all told waits for
    them."""
    ended = ImportRun.objects.real().filter(finished_at__gte=look.since)
    times = ended.order_by("finished_at", "pk").values_list("pk", "finished_at")
    new = look.new(((_key(pk, at), pk, at) for pk, at in times if at), most)
    runs = ImportRun.objects.listed().in_bulk(new)
    for run in (runs[pk] for pk in new if pk in runs):
        at = run.finished_at or run.started_at
        if look.webhook.follows_changes and _has_more(run, look.position):
            look.left(at)
            continue
        kind = EventType.RUN_FINISHED.value
        yield Event(_key(run.pk, at), kind, at, partial(_data_of, run))


def _key(pk: Any, at: Any) -> str:
    return message_key("run", pk, at)


def _has_more(run: ImportRun, position: int) -> bool:
    """Return whether a run has changes behind a position.

    Newest first, because as long as there are some, the newest is almost always one; the
    told ones before them would be read again at every look.
    """
    changes = ChangeEvent.objects.of_run(run.pk).filter(id__gt=position)
    return changes.values_list("pk").first() is not None


def _data_of(run: ImportRun) -> Any:
    """Return a run as the API answers it, without its report."""
    return ImportRunSerializer(run).data
