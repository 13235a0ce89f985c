"""A write that is authorised and validated but not yet committed, and how it is made.

The importer's own target and service layers of projects share it.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Self

from django.db import models
from django.utils.translation import gettext as _, gettext_noop
from rest_framework.exceptions import ValidationError

from importer.columns import columns_of
from importer.package.shapes import Mark, NotAllowed, Problem, Refusal
from importer.pipeline.ports import Stale, Write
from importer.serializers import Serializer, borrowed, flatten


@dataclass(slots=True)
class Draft:
    """A row with its new values, beside its stored state."""

    order: Write
    row: Any
    before: Any | None
    columns: set[str] = field(default_factory=set)
    changes: dict[str, list[Any]] = field(default_factory=dict)

    @property
    def idle(self) -> bool:
        """Return whether an existing row has all of these values already."""
        return self.before is not None and not self.columns

    def only_marks(self, mark: Mark) -> bool:
        """Return whether the write only updates an existing mark of the package."""
        return self.idle and self.row.import_source == mark.source

    @classmethod
    def of(cls, model: type[models.Model], order: Write, attrs: dict[str, Any]) -> Self:
        """Return a draft with a changed copy of the row; the row itself stays
        unchanged."""
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
    """Write mark columns of a row and nothing else, not even version and time.

    Raise Stale if the row has changed since the decision.
    """
    row, version = draft.row, draft.order.version
    # Not with a manager of the model, which may refuse writes that bypass ``save``.
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
    """Return whether a user has Django's permission for an action such as ``add``."""
    return bool(user.has_perm(_right(model, action)))


def authorise(user: Any, model: type[models.Model], action: str) -> None:
    """Refuse a user without Django's permission for an action such as ``add``.

    An app with further actions marks their sentences for translation as below.
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
    """Return the validated values of the serializer; raise Refusal with its errors.

    With a row given, absent properties keep their values.
    """
    partial = row is not None
    with borrowed(serializer, instance=row, partial=partial, context=context) as lent:
        try:
            return dict(lent.run_validation(values))
        except ValidationError as error:
            raise Refusal(flatten(error.detail)) from None
