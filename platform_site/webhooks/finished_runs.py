"""The event that an import ended."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any, Final

from importer import registry
from importer.api import ImportRunSerializer
from importer.models import ImportRun
from platform_site.webhooks.events import OVERLAP, Event, Source, register_source
from platform_site.webhooks.models import EventType, Webhook

TYPES: Final = (EventType.RUN_FINISHED,)


def register() -> None:
    """Register the imports as a source of events."""
    register_source(Source(TYPES, found, registry.may_import))


def found(webhook: Webhook, most: int) -> Iterator[Event]:
    """Yield the runs that ended since the webhook was last asked about."""
    since = max(webhook.created_at, webhook.seen_at - OVERLAP)
    ended = ImportRun.objects.real().filter(finished_at__gte=since)
    for run in ended.order_by("finished_at", "pk"):
        kind, at = EventType.RUN_FINISHED.value, run.finished_at or run.started_at
        yield Event(f"run-{run.pk}", kind, at, partial(_data_of, run))


def _data_of(run: ImportRun) -> Any:
    """Return a run as the API answers it, without its report."""
    return ImportRunSerializer(run).data
