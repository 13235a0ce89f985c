"""The public interface of the change history: services set the acting user and record
their changes inside their own transaction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django.utils import timezone

from platform_site.changes.context import ChangeOrigin, acting_as, current
from platform_site.changes.models import ChangeEvent
from platform_site.database.inserts import insert_row
from platform_site.log_context import log_context

__all__ = [
    "ChangeEvent",
    "ChangeOrigin",
    "acting_as",
    "current",
    "record_change",
]
_COLUMNS = tuple(field.attname for field in ChangeEvent._meta.concrete_fields)


def record_change(
    *,
    action: str,
    model: str,
    row_id: int | None,
    row: str,
    changes: Mapping[str, Sequence[Any]],
) -> ChangeEvent:
    """Write one change event of the acting user, with a single INSERT (IMP-312).

    `model` is the wire name, `row` the current text of the row, and `changes` maps each
    property to its values before and after.
    """
    acting = current()
    user = acting.user
    values = {
        "id": None,
        "at": timezone.now(),
        "user_id": None if user is None else user.pk,
        "user_name": acting.user_name(),
        "action": action,
        "origin": acting.origin.value,
        "run_id": acting.run_id,
        "request_id": None if acting.run_id else log_context().request_id or None,
        "model": model,
        "row_id": row_id,
        "row": row,
        "changes": changes,
    }
    # By their order, since Django takes three times as long by their names.
    event = ChangeEvent(*(values[name] for name in _COLUMNS))
    insert_row(event)
    return event
