"""The button that restores a deleted row which objects of the package refer to."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.core.exceptions import ValidationError as InvalidKey
from django.http import HttpRequest
from django.utils.translation import gettext as _
from rest_framework.exceptions import PermissionDenied, ValidationError

from importer import registry, services
from importer.columns import columns_of, is_deleted
from importer.package.shapes import NotAllowed, ObjectError, Owner
from importer.pipeline.ports import Stale
from importer.prepared import may

RowKey = tuple[str, str]


def restorable(owners: Iterable[Owner | None], user: Any) -> Collection[RowKey]:
    """Return the deleted rows among some that a user may restore, with one query for
    each target."""
    keys: dict[str, set[Any]] = {}
    for owner in owners:
        if owner is not None and owner.row_id is not None:
            keys.setdefault(owner.model, set()).add(owner.row_id)
    return {
        (name, str(row_id))
        for name, wanted in keys.items()
        for row_id in _deleted(name, wanted, user)
    }


def restore(request: HttpRequest) -> UUID:
    """Restore the posted row through the services; return the run to show again."""
    run_id = services.identifier_of(request.POST.get("run", ""))
    target = registry.targets().get(request.POST.get("model", ""))
    history = registry.history()
    row = None
    if target is not None and history is not None:
        try:
            rows = target.model._base_manager.filter(pk=request.POST.get("row"))
            row = rows.first()
        except (ValueError, InvalidKey):
            pass
    if history is None or row is None or not is_deleted(row):
        raise ValidationError([_("There is no such deleted row any more.")])
    try:
        history.restore(row, request.user)
    except NotAllowed as refusal:
        raise PermissionDenied(str(refusal)) from None
    except ObjectError as refusal:
        raise ValidationError([str(refusal)]) from None
    except Stale:
        raise ValidationError(
            [_("Somebody else has just saved this row; try again.")]
        ) from None
    # Not the row first, since the page begins each message with a capital letter.
    done = _(
        "The row %(row)s has been restored. Start another dry run to see the effect."
    )
    messages.success(request, done % {"row": row})
    return run_id


def _deleted(name: str, keys: Collection[Any], user: Any) -> Iterable[Any]:
    """Return the keys of deleted rows that a user may restore."""
    target = registry.targets().get(name)
    if target is None or registry.history() is None:
        return ()
    model = target.model
    deleted = columns_of(model).deleted
    if not deleted or not may(user, model, "change"):
        return ()
    rows = model._base_manager.filter(**{deleted: True, "pk__in": keys})
    return rows.values_list("pk", flat=True)
