"""Which changes may leave the history: those that no import, undo, page or webhook needs.

What stays of each row, however old it is:

- its first and its last change, its last change by a person and that by a run: pages and
  reports tell who created and who changed it;
- of an imported row, what a merge needs since its import (see `merging`);
- the newest changes of each user, from which new documents take their defaults.

All changes of a row leave once it is erased. Changes since the start of a run that hasn't
ended stay, and those that a webhook hasn't been told of.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any, Final, NamedTuple

from django.db.models import Exists, OuterRef, QuerySet

from importer.models import ImportRun
from platform_site.changes.context import ChangeOrigin
from platform_site.changes.labels import recorded_models
from platform_site.changes.models import ChangeEvent, ChangeEventQuerySet
from platform_site.site.archived_changes.merging import needed_by_merges
from platform_site.webhooks.change_events import last_told
from platform_site.webhooks.models import Webhook

_AT_ONCE: Final = 1000
# More than pages and defaults read of a user's last changes.
_OF_USER: Final = 200


class ArchivingLimits(NamedTuple):
    """The moment before which changes may leave, the last of them by its id, and the
    webhook that holds up later ones, if one does."""

    before: datetime
    last_id: int
    held_by: Webhook | None


def limits(before: datetime) -> ArchivingLimits:
    """Return the limits of an archiving of changes before a moment."""
    going_on = (ImportRun.Status.QUEUED, ImportRun.Status.RUNNING)
    runs = ImportRun.objects.real().filter(status__in=going_on)
    for run in runs.select_related("based_on"):
        based_on = run.started_at if run.based_on is None else run.based_on.started_at
        before = min(before, run.started_at, based_on)
    old = ChangeEvent.objects.filter(at__lt=before)
    newest = ChangeEvent.objects.order_by("-id").values_list("id", flat=True).first()
    # The newest change is the end of the feed.
    last_id, held_by = (newest or 0) - 1, None
    if (told := last_told()) is not None and told[0] < last_id:
        last_id = told[0]
        held_by = told[1] if old.filter(id__gt=last_id).exists() else None
    return ArchivingLimits(before, last_id, held_by)


def dispensable(events: ChangeEventQuerySet) -> Iterator[list[ChangeEvent]]:
    """Yield those of some changes that may leave, in the order of their ids.

    It reads them in small parts, each with a few queries.
    """
    users: dict[int, tuple[datetime, int] | None] = {}
    last = 0
    while part := list(_with_others(events.filter(id__gt=last))[:_AT_ONCE]):
        last = part[-1].pk
        if found := _without_needed(part, users):
            yield found


def _with_others(events: ChangeEventQuerySet) -> QuerySet[Any]:
    """Add what else there is of the row of each change. Each condition ends with the
    first of the others that the index of rows has."""
    of_row = ChangeEvent.objects.filter(
        row_id=OuterRef("row_id"), model=OuterRef("model")
    ).order_by()
    later = of_row.filter(at__gte=OuterRef("at"), id__gt=OuterRef("id"))
    return events.order_by("id").annotate(
        has_earlier=Exists(
            of_row.filter(at__lte=OuterRef("at"), id__lt=OuterRef("id"))
        ),
        has_later=Exists(later),
        has_later_run=Exists(later.filter(run_id__isnull=False)),
        has_later_person=Exists(later.by_people()),
    )


def _without_needed(
    part: Sequence[Any], users: dict[int, tuple[datetime, int] | None]
) -> list[ChangeEvent]:
    left = [event for event in part if not _is_newest_of_user(event, users)]
    found = [event for event in left if event.row_id is None]
    models = recorded_models()
    for name in dict.fromkeys(each.model for each in left if each.row_id is not None):
        model = models.get(name)
        if model is None:
            # The rows of an app that may come back.
            continue
        mine = [each for each in left if each.model == name and each.row_id is not None]
        found += _of_rows(model, mine)
    return sorted(found, key=lambda event: event.pk)


def _of_rows(model: Any, events: Sequence[Any]) -> Iterator[ChangeEvent]:
    """Yield the changes of rows of one model that may leave."""
    keys = {event.row_id for event in events}
    existing = set(
        model._base_manager.filter(pk__one_of=list(keys)).values_list("pk", flat=True)
    )
    erased = [event for event in events if event.row_id not in existing]
    rest = [
        event
        for event in events
        if event.row_id in existing
        and event.has_earlier
        and event.has_later
        and (event.run_id is None or event.has_later_run)
        and (event.reported_run is not None or event.has_later_person)
    ]
    needed = needed_by_merges(model, rest)
    yield from erased
    yield from (event for event in rest if event.pk not in needed)


def _is_newest_of_user(
    event: ChangeEvent, users: dict[int, tuple[datetime, int] | None]
) -> bool:
    """Return whether a change is among the newest that its user made on pages."""
    user_id: int | None = event.user_id
    if event.origin != ChangeOrigin.USER or user_id is None:
        return False
    if user_id not in users:
        own = ChangeEvent.objects.filter(user=user_id, origin=ChangeOrigin.USER)
        newest = own.order_by("-at", "-id").values_list("at", "id")
        users[user_id] = next(iter(newest[_OF_USER - 1 : _OF_USER]), None)
    oldest = users[user_id]
    return oldest is None or (event.at, event.pk) >= oldest
