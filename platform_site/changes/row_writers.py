"""Who wrote rows since a moment, so that an undo keeps what others changed."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from importer.models import ImportRun
from platform_site.changes.models import ChangeEvent, FormerMark


class RowWrite(NamedTuple):
    """One write of a row: when, in which run, by whom, and whether it deleted the row.

    Of a write of the mark alone, only time, run and the former key are known.
    """

    at: datetime
    run_id: UUID | None
    user_name: str = ""
    deleted: bool = False
    key: str = ""


def writes_since(
    model: str, row_ids: Sequence[int], since: datetime
) -> dict[int, list[RowWrite]]:
    """Return the writes of rows since a moment by row, oldest first.

    It takes two queries.
    """
    rows = {"model": model, "row_id__one_of": list(row_ids), "at__gte": since}
    found: dict[int, list[RowWrite]] = {}
    events = ChangeEvent.objects.filter(**rows).order_by()
    deleted = ChangeEvent.Action.DELETED.value
    for row_id, at, run_id, user, action in events.values_list(
        "row_id", "at", "run_id", "user_name", "action"
    ):
        write = RowWrite(at, run_id, user, action == deleted)
        found.setdefault(row_id or 0, []).append(write)
    marks = FormerMark.objects.filter(**rows).order_by()
    for row_id, at, run_id, key in marks.values_list("row_id", "at", "run_id", "key"):
        found.setdefault(row_id, []).append(RowWrite(at, run_id, key=key))
    for writes in found.values():
        writes.sort(key=lambda write: write.at)
    return found


def undoing_runs(run_ids: Iterable[UUID | None]) -> dict[UUID, UUID]:
    """Return the undone run of each run that is a real undo, with one query."""
    known = {run_id for run_id in run_ids if run_id is not None}
    undoing = ImportRun.objects.real().filter(
        pk__in=known, kind=ImportRun.Kind.UNDO, based_on__isnull=False
    )
    return dict(undoing.values_list("run_id", "based_on_id"))


def without_undone(
    writes: Collection[RowWrite], undoing: dict[UUID, UUID]
) -> list[RowWrite]:
    """Return the writes that still count: an undo of a run takes back all that the run
    wrote, and leaves nothing of its own."""
    left: list[RowWrite] = []
    for write in writes:
        undone = None if write.run_id is None else undoing.get(write.run_id)
        if undone is None:
            left.append(write)
        else:
            left = [each for each in left if each.run_id != undone]
    return left
