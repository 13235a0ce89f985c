"""The values that imports wrote last, according to the change events of rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from platform_site.changes.models import ChangeEvent
from platform_site.changes.row_writers import undoing_runs

# The events of a row after its import, without further runs.
_USER_AND_RUN = 2


def last_imported(
    model: str, imported_at: Mapping[int, datetime]
) -> dict[int, dict[str, Any]]:
    """Return what runs wrote last to the properties that users have changed since the
    import of their row, by row key and property, with one query.

    Rows without an event of their import are left out, as nothing is known of them.
    What a run wrote doesn't count once the run is undone. If there are several runs, one
    more query finds those.
    """
    events = ChangeEvent.objects.filter(
        model=model, row_id__one_of=list(imported_at), at__gte=min(imported_at.values())
    ).order_by("row_id", "at", "id")
    found: dict[int, dict[str, Any]] = {}
    unknown = set()
    # What came before the import of its row says nothing, also not which runs are undone:
    # it may be archived.
    recorded = [
        event
        for event in events.only("row_id", "at", "origin", "run_id", "changes")
        if event.row_id is not None and event.at >= imported_at[event.row_id]
    ]
    for event in _without_undone(recorded):
        row_id, by_run = event.row_id, event.reported_run is not None
        if row_id is None or row_id in unknown:
            continue
        if row_id in found:
            _follow(found[row_id], event.changes, by_run=by_run)
        elif by_run:
            # The import's own event comes first: it is written right after the row.
            found[row_id] = {}
        else:
            unknown.add(row_id)
    return found


def _without_undone(events: Sequence[ChangeEvent]) -> Sequence[ChangeEvent]:
    """Leave out undone runs with their undo; an undo alone stays, as it has written the
    present values."""
    run_ids = {event.run_id for event in events}
    undoing = undoing_runs(run_ids) if len(run_ids) > _USER_AND_RUN else {}
    written = {(event.row_id, event.run_id) for event in events}
    left_out = {
        (row_id, each)
        for row_id, run_id in written
        if run_id is not None
        and (undone := undoing.get(run_id)) is not None
        and (row_id, undone) in written
        for each in (run_id, undone)
    }
    return [event for event in events if (event.row_id, event.run_id) not in left_out]


def _follow(
    values: dict[str, Any], changes: Mapping[str, Any], *, by_run: bool
) -> None:
    """Update the values by one change: a run writes them, a user leaves them behind."""
    for name, (before, after) in changes.items():
        if by_run:
            values[name] = after
        else:
            values.setdefault(name, before)
