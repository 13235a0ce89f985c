"""Which old changes of imported rows a merge still needs.

A merge compares with what the engine wrote last, which `changes.imported_values` reads from
the changes since the import of a row: of each property that of a run, or the value before
its first change by a person. Later changes of the same property by people say nothing more.
An undo sets the time of the import back to that in a former mark, so they count from there
as well.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from django.core.exceptions import FieldDoesNotExist

from platform_site.changes.models import ChangeEvent, FormerMark

_IMPORTED_AT = "import_imported_at"


def needed_by_merges(model: Any, events: Sequence[ChangeEvent]) -> set[int]:
    """Return the keys of those changes of one model's rows that a later merge needs."""
    imports = _imports(model, {event.row_id or 0 for event in events})
    since = {row_id: min(times) for row_id, times in imports.items()}
    waiting = {
        event.pk
        for event in events
        if event.row_id in since and event.at >= since[event.row_id]
    }
    if not waiting:
        return set()
    rows = {event.row_id for event in events if event.pk in waiting}
    read = ChangeEvent.objects.filter(
        model=model.catalog_name,
        row_id__one_of=list(rows),
        at__gte=min(since[row_id] for row_id in rows if row_id),
        at__lte=max(event.at for event in events),
    )
    needed: set[int] = set()
    # What people have changed in a row since its last import.
    changed: dict[int, tuple[int, set[str]]] = {}
    for event in read.order_by("row_id", "at", "id").only(
        "row_id", "at", "origin", "run_id", "changes"
    ):
        row_id = event.row_id or 0
        # How many imports came before; each begins anew.
        number = sum(at <= event.at for at in imports[row_id])
        if not number:
            continue
        before, names = changed.get(row_id, (0, set()))
        is_first = before != number
        names = set() if is_first else names
        is_new = not names.issuperset(event.changes)
        if event.pk in waiting and (
            is_first or is_new or event.reported_run is not None
        ):
            needed.add(event.pk)
        if event.reported_run is None:
            names.update(event.changes)
        changed[row_id] = (number, names)
    return needed


def _imports(model: Any, row_ids: Iterable[int]) -> dict[int, set[datetime]]:
    """Return when rows were imported, or will have been after an undo."""
    try:
        model._meta.get_field(_IMPORTED_AT)
    except FieldDoesNotExist:
        return {}
    keys, found = list(row_ids), defaultdict(set)
    rows = model._base_manager.filter(pk__one_of=keys)
    marks = FormerMark.objects.filter(model=model.catalog_name, row_id__one_of=keys)
    for times in (
        rows.values_list("pk", _IMPORTED_AT),
        marks.values_list("row_id", "imported_at"),
    ):
        for row_id, at in times:
            if at is not None:
                found[row_id].add(at)
    return found
