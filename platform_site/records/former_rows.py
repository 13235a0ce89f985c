"""Business rows as they were before a run, and the return to that state through the
services."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from django.db import IntegrityError, models, router, transaction
from django.utils.translation import gettext as _

from importer import Problem, Refusal
from importer.targets import MARK_FIELDS, Stale, authorise
from platform_site.changes.models import ChangeEvent, FormerMark
from platform_site.changes.services import record_former_marks
from platform_site.records import wire
from platform_site.records.models import Record
from platform_site.records.services import delete_record, restore_record

Actions = ChangeEvent.Action
Changes = dict[str, list[Any]]


class FormerRow(msgspec.Struct, frozen=True):
    """The state of a row before a run, as far as the run changed it.

    ``changes`` are the values after the run and those before it; ``deleted`` is None if
    the run neither deleted nor restored the row. Without a ``mark`` the row had none.
    """

    existed: bool
    deleted: bool | None
    changes: Changes
    mark: FormerMark | None


def former_row(events: Sequence[ChangeEvent], mark: FormerMark | None) -> FormerRow:
    """Return the state of a row before the events of a run, oldest first."""
    existed = all(event.action != Actions.CREATED for event in events)
    turns = {Actions.DELETED: False, Actions.RESTORED: True}
    deleted = [turns[e.action] for e in events if e.action in turns]  # type: ignore[index]
    pairs: Changes = {}
    for event in events if existed else ():
        for name, (before, after) in event.changes.items():
            pairs.setdefault(name, [after, before])[0] = after
    changes = {name: pair for name, pair in pairs.items() if pair[0] != pair[1]}
    return FormerRow(existed, deleted[0] if deleted else None, changes, mark)


def revert_row(row: Record, former: FormerRow, actor: Any) -> None:
    """Give a row back its former state in one transaction, as a user.

    Raise Refusal if the services refuse it, Stale if the row has changed.
    """
    version = row.version
    try:
        with transaction.atomic(router.db_for_write(type(row))):
            row = _reverted(row, former, actor)
            if row.version == version:
                # No service has written the row, and thereby recorded its mark.
                record_former_marks([row])
            _revert_mark(row, former.mark)
    except IntegrityError:
        sentence = _("The former import mark of %(row)s belongs to another row now.")
        raise Refusal([Problem("", sentence % {"row": row}, "taken")]) from None


def _reverted(row: Any, former: FormerRow, actor: Any) -> Any:
    if not former.existed:
        return delete_record(row=row, actor=actor)
    authorise(actor, type(row), "change")
    if former.deleted is False:
        row = restore_record(row=row, actor=actor)
    target = wire.target_of(type(row))
    row = target.put_back(row, _values(former.changes), actor)
    return delete_record(row=row, actor=actor) if former.deleted else row


def _values(changes: Mapping[str, Sequence[Any]]) -> dict[str, Any]:
    return {name: before for name, (_after, before) in changes.items()}


def _revert_mark(row: Any, mark: FormerMark | None) -> None:
    columns: dict[str, Any] = dict.fromkeys(MARK_FIELDS)
    if mark is not None:
        # A row that no user had changed is as imported again.
        at = mark.imported_at or row.modified
        values = (mark.origin, mark.source, mark.key, mark.source_hash, at)
        columns = dict(zip(MARK_FIELDS, values, strict=True))
    # Not with its manager, which refuses writes that bypass ``save``.
    rows: models.QuerySet[Any] = models.QuerySet(type(row))
    if not rows.filter(pk=row.pk, version=row.version).update(**columns):
        raise Stale
