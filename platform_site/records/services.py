"""The one door to write a business row, in two halves.

``prepare_*`` authorises, validates, applies the rules and finds the changed fields,
reading only; ``commit`` writes row, mark and change event in one transaction. Views,
admin, processors and the import target call these and nothing else (OPEN-16).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django.db import DataError, IntegrityError, models, transaction
from django.utils.translation import gettext as _

from importer.live_rows import lock_row
from importer.models.mark import mark_columns
from importer.package.shapes import Mark, Problem, Refusal
from importer.pipeline.ports import Write
from importer.prepared import Draft, authorise, validated, write_mark
from platform_site.accounts.services import is_administrator
from platform_site.changes.models import ChangeEvent
from platform_site.changes.services import record_change
from platform_site.records import references, wire
from platform_site.records.errors import InUse, LimitReached, NotAllowed, Stale
from platform_site.records.look import DatabaseLook, Look
from platform_site.records.models import Record
from platform_site.records.usage import Users, users_of

Actions = ChangeEvent.Action


def create_record(*, model: type[Record], data: Mapping[str, Any], actor: Any) -> Any:
    """Create a row from wire values; Refusal with problems by property."""
    return commit(prepare(Write(values=dict(data), user=actor), model))


def update_record(
    *,
    row: Any,
    data: Mapping[str, Any],
    actor: Any,
    expected_version: int | None = None,
) -> Any:
    """Change the given properties of a row; Stale if its version is another by now."""
    version = row.version if expected_version is None else expected_version
    order = Write(values=dict(data), user=actor, row=row, version=version)
    return commit(prepare(order, type(row)))


def restore_record(*, row: Any, actor: Any) -> Any:
    """Undelete a row; Refusal if a unique value of it was taken meanwhile, or a row it
    refers to is deleted by now."""
    if not row.is_deleted:
        authorise(actor, type(row), "change")
        return row
    order = Write(None, actor, row=row, version=row.version, restore=True)
    return commit(prepare(order, type(row)))


def prepare(order: Write, model: type[Record], look: Look | None = None) -> Draft:
    """Take a write as far as it goes without writing; Refusal if it may not be."""
    look = look or DatabaseLook()
    authorise(order.user, model, "add" if order.row is None else "change")
    if order.row is not None:
        for part in model.parts:
            part.load([order.row])
    attrs: dict[str, Any] = {}
    if order.values is not None:
        serializer = wire.serializer_of(model)
        context = {"look": look}
        try:
            attrs = validated(serializer, order.values, row=order.row, context=context)
        except Refusal as refusal:
            _refuse_for_all(model, order, refusal.problems)
    draft = Draft.of(model, order, attrs)
    if order.restore:
        draft.row.is_deleted = False
    problems = references.judge(draft.row, look) if order.restore else []
    problems += [
        problem
        for rule in model.rules
        for problem in rule.check(draft.row, draft.before, look)
    ]
    problems += wire.taken(draft, look)
    _refuse_for_all(model, order, problems)
    draft.changes.update(wire.changes(draft))
    draft.row.authorise_write(order.user, draft.before, draft.columns)
    return draft


def _refuse_for_all(
    model: type[Record], order: Write, problems: Sequence[Problem]
) -> None:
    """Refuse a write for all that is wrong and all the licence has against it (OPEN-83).

    Neither hides the other.
    """
    limits = model.limits_on(order, refused=bool(problems))
    found = [*problems, *(each for limit in limits for each in limit.problems)]
    if problems:
        raise Refusal(found)
    for first in limits:
        raise LimitReached(found, **first.members)


def commit(draft: Draft, mark: Mark | None = None) -> Any:
    """Write a prepared row with its mark and event in one transaction.

    Where nothing changes, nothing is written but the mark, if there is one to renew.
    """
    if draft.idle and mark is None:
        return draft.row
    if mark is not None and draft.only_marks:
        # The time of the row's last change: a user's is always later than that.
        write_mark(draft, mark_columns(mark, draft.row.modified))
        return draft.row
    try:
        with transaction.atomic():
            action = _save(draft, mark)
            if draft.before is None:
                draft.changes.update(wire.drawn(draft))
            _record(draft.row, action, draft.changes)
    except IntegrityError:
        raise Refusal(wire.ordinary_words(draft)) from None
    except DataError as error:
        reason = str(error).split("\n", 1)[0]
        sentence = _("The database refused the row: %(reason)s.") % {"reason": reason}
        raise Refusal([Problem("", sentence)]) from None
    return draft.row


def _save(draft: Draft, mark: Mark | None) -> Actions:
    row, order = draft.row, draft.order
    if draft.before is None:
        row.pk = None
        row.save(force_insert=True, mark=mark)
        return Actions.CREATED
    if order.version is not None:
        row.version = order.version
    fields = set(draft.columns)
    if order.restore:
        fields |= {"is_deleted", "modified"}
    if order.values is not None:
        fields.add("modified")
    row.save(update_fields=fields, mark=mark)
    if order.restore:
        return Actions.RESTORED
    adopted = mark is not None and draft.before.import_key is None
    return Actions.ADOPTED if adopted else Actions.UPDATED


def delete_record(*, row: Any, actor: Any, expected_version: int | None = None) -> Any:
    """Delete a row softly; InUse if a live row refers to it (OPEN-20)."""
    authorise(actor, type(row), "delete")
    if row.is_deleted:
        return row
    row.authorise_removal(actor)
    if expected_version is not None:
        row.version = expected_version
    try:
        with transaction.atomic():
            _refuse_if_used(row)
            row.is_deleted = True
            row.save(update_fields={"is_deleted", "modified"})
            _record(row, Actions.DELETED, {})
    except Exception:
        row.is_deleted = False
        raise
    return row


def erase_record(*, row: Any, actor: Any) -> None:
    """Delete a row physically, with its mark: its object counts as new again (IMP-120).

    For administrators only (OPEN-20); InUse if any row refers to it, deleted or not.
    """
    authorise(actor, type(row), "delete")
    if not is_administrator(actor):
        sentence = _("Only administrators may erase rows for good.")
        raise NotAllowed([Problem("", sentence, "not-allowed")])
    row.authorise_removal(actor)
    try:
        with transaction.atomic():
            _refuse_if_used(row, deleted_too=True)
            row.withdraw()
            _record(row, Actions.DELETED, wire.lost(row))
            # Not the model's own ``delete``, which refuses everybody.
            count, _each = models.Model.delete(row)
            if not count:
                raise Stale
    except (models.ProtectedError, IntegrityError):
        raise _in_use(row, _("other rows")) from None


def _refuse_if_used(row: Any, *, deleted_too: bool = False) -> None:
    """Lock a row and look for its users: whoever is about to refer to it goes first."""
    lock_row(row)
    users = users_of(row, deleted_too=deleted_too)
    if users:
        raise _in_use(row, users)


def _in_use(row: Any, users: Users | str) -> InUse:
    sentence = _("%(row)s is in use: %(users)s.")
    words = {"row": row, "users": users}
    problems = [Problem("", sentence % words, "row-in-use")]
    if isinstance(users, str):
        return InUse(problems)
    return InUse(problems, users.wire, users.count)


def _record(row: Any, action: Actions, changes: dict[str, list[Any]]) -> None:
    record_change(
        action=action,
        model=row.catalog_name,
        row_id=row.pk,
        row=str(row),
        changes=changes,
    )
