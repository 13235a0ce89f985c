"""Who changed rows last, apart from imports."""

from __future__ import annotations

from typing import Any

from django.db.models import OuterRef, QuerySet, Subquery

from importer.targets import LastChange
from platform_site.changes.models import ChangeEvent


def last_changes(model: str, rows: QuerySet[Any]) -> dict[int, LastChange]:
    """Return who changed rows of a model last outside of imports, by row key, with one
    query that reads one event of each row.

    A row changed past the services has no such event, only the time of its change.
    """
    of_row = ChangeEvent.objects.by_people().filter(model=model, row_id=OuterRef("pk"))
    newest = of_row.order_by("-at", "-id")
    found = rows.annotate(
        last_by=Subquery(newest.values("user_name")[:1]),
        last_at=Subquery(newest.values("at")[:1]),
    ).values_list("pk", "last_by", "last_at", "modified")
    return {
        row_id: LastChange(by or None, at or modified)
        for row_id, by, at, modified in found
    }
