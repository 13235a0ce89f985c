"""The services of business rows: create, change, delete, restore, erase.

Views, admin and processors call them with the acting user. They write with the same
targets as the importer, in the two halves ``prepare`` and ``commit`` (OPEN-16); see
``importer.writing``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from django.contrib.auth.models import AnonymousUser
from django.db import IntegrityError, models, transaction
from django.utils.translation import gettext as _

from importer import Mark, Problem
from importer.targets import Draft, RowLookup, Write, authorise
from platform_site.accounts.models import User
from platform_site.accounts.services import is_administrator
from platform_site.changes.models import ChangeEvent
from platform_site.changes.services import record_change
from platform_site.records import wire
from platform_site.records.errors import NotAllowed, Stale
from platform_site.records.models import Record
from platform_site.records.row_lookup import DatabaseLookup
from platform_site.records.usage import in_use, refuse_if_used

R = TypeVar("R", bound=Record)
Actor = User | AnonymousUser


def create_record(*, model: type[R], data: Mapping[str, Any], actor: Actor) -> R:
    """Create a row from wire values; raise Refusal with problems by property."""
    row: R = commit(prepare(Write(values=dict(data), user=actor), model))
    return row


def update_record(
    *,
    row: R,
    data: Mapping[str, Any],
    actor: Actor,
    expected_version: int | None = None,
) -> R:
    """Change the given properties of a row; raise Stale if its version has changed."""
    version = row.version if expected_version is None else expected_version
    order = Write(values=dict(data), user=actor, row=row, version=version)
    changed: R = commit(prepare(order, type(row)))
    return changed


def restore_record(*, row: R, actor: Actor) -> R:
    """Restore a row; raise Refusal if one of its unique values is taken now, or if it
    refers to a deleted row."""
    if not row.is_deleted:
        authorise(actor, type(row), "change")
        return row
    order = Write(None, actor, row=row, version=row.version, restore=True)
    restored: R = commit(prepare(order, type(row)))
    return restored


def prepare(
    order: Write, model: type[Record], lookup: RowLookup | None = None
) -> Draft:
    """Authorise and validate a write without writing; raise Refusal if it isn't
    allowed."""
    return wire.target_of(model).prepare(order, lookup or DatabaseLookup())


def commit(draft: Draft, mark: Mark | None = None) -> Any:
    """Write a prepared row with its mark and event in one transaction.

    If nothing changes, only the mark is written, if it needs an update.
    """
    wire.target_of(type(draft.row)).commit(draft, mark)
    return draft.row


def delete_record(*, row: R, actor: Actor, expected_version: int | None = None) -> R:
    """Soft-delete a row; raise InUse if a live row refers to it (OPEN-20)."""
    version = row.version if expected_version is None else expected_version
    order = Write(None, actor, row=row, version=version)
    draft = wire.target_of(type(row)).prepare_removal(order)
    if draft.idle:
        return row
    deleted = commit(draft)
    vars(row).update(vars(deleted))
    return row


def erase_record(*, row: Record, actor: Actor) -> None:
    """Delete a row physically with its mark; its object counts as new again (IMP-120).

    Only administrators may do so (OPEN-20); raise InUse if any row refers to it,
    deleted or not.
    """
    authorise(actor, type(row), "delete")
    if not is_administrator(actor):
        sentence = _("Only administrators may erase rows for good.")
        raise NotAllowed([Problem("", sentence, "not-allowed")])
    row.authorise_removal(actor)
    try:
        with transaction.atomic():
            refuse_if_used(row, deleted_too=True)
            row.withdraw()
            record_change(
                action=ChangeEvent.Action.DELETED,
                model=row.catalog_name,
                row_id=row.pk,
                row=str(row),
                changes=wire.lost(row),
            )
            # Not the model's own ``delete``, which is refused.
            count, _each = models.Model.delete(row)
            if not count:
                raise Stale
    except (models.ProtectedError, IntegrityError):
        raise in_use(row, _("other rows")) from None
