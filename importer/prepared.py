"""A write that was authorised and validated but not yet made, and how it gets there.

Shared by the importer's own target and by any service layer that wants to be one.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Self

from django.db import models
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop
from rest_framework.exceptions import ValidationError

from importer.columns import columns_of
from importer.package.shapes import NotAllowed, Problem, Refusal
from importer.pipeline.ports import Stale, Write
from importer.serializers import Serializer, borrowed, flatten


@dataclass(slots=True)
class Draft:
    """A row as it will be beside the row as it was."""

    order: Write
    row: Any
    before: Any | None
    columns: set[str] = field(default_factory=set)
    changes: dict[str, list[Any]] = field(default_factory=dict)
    unjudged: bool = False

    @property
    def idle(self) -> bool:
        """Return whether a row that exists has all of this already."""
        return self.before is not None and not self.columns

    @property
    def only_marks(self) -> bool:
        """Return whether it only renews a mark that the row has already."""
        return self.idle and self.row.import_key is not None

    @classmethod
    def of(cls, model: type[models.Model], order: Write, attrs: dict[str, Any]) -> Self:
        """Make the row as it will be; the row as it was stays untouched."""
        before = order.row
        if before is None:
            row = model(**attrs)
            row.pk = order.planned_id or None
            return cls(order, row, None, set(attrs))
        row = copy.copy(before)
        row._state = copy.copy(before._state)
        for name, value in attrs.items():
            setattr(row, name, value)
        return cls(order, row, before, differing(before, row, attrs))


def differing(before: Any, row: Any, names: Iterable[str]) -> set[str]:
    """Return the columns in which two states of a row differ."""
    return {name for name in names if getattr(before, name) != getattr(row, name)}


def write_mark(draft: Draft, columns: dict[str, Any]) -> None:
    """Write columns of the mark of a row and nothing else: no version, no time moves.

    Stale where the row is not any more what was decided on.
    """
    row, version = draft.row, draft.order.version
    # Not by a manager of the model, which may refuse to write past ``save``.
    rows: models.QuerySet[Any] = models.QuerySet(type(row)).filter(pk=row.pk)
    if version is not None:
        rows = rows.filter(**{columns_of(type(row)).version: version})
    if not rows.update(**columns):
        raise Stale


MAY_NOT = (
    gettext_noop("%(user)s may not view %(rows)s."),
    gettext_noop("%(user)s may not add %(rows)s."),
    gettext_noop("%(user)s may not change %(rows)s."),
    gettext_noop("%(user)s may not delete %(rows)s."),
)


def may(user: Any, model: type[models.Model], action: str) -> bool:
    """Return whether a user has Django's permission for an action, such as ``add``."""
    return bool(user.has_perm(_right(model, action)))


def authorise(user: Any, model: type[models.Model], action: str) -> None:
    """Refuse a user without Django's permission for an action, such as ``add``.

    An app that has actions beside Django's own marks their sentences as below.
    """
    if not may(user, model, action):
        sentence = f"%(user)s may not {action} %(rows)s."
        words = {"user": user, "rows": model._meta.verbose_name_plural}
        problem = Problem("", _(sentence) % words, "not-allowed")
        raise NotAllowed([problem], _right(model, action))


def _right(model: type[models.Model], action: str) -> str:
    return f"{model._meta.app_label}.{action}_{model._meta.model_name}"


def validated(
    serializer: type[Serializer],
    values: dict[str, Any],
    *,
    row: Any | None,
    context: dict[str, Any],
) -> dict[str, Any]:
    """Return what the serializer makes of wire values; raise Refusal with its words.

    With a row given, absent properties stay as they are.
    """
    partial = row is not None
    with borrowed(serializer, instance=row, partial=partial, context=context) as lent:
        try:
            return dict(lent.run_validation(values))
        except ValidationError as error:
            raise Refusal(flatten(error.detail)) from None
