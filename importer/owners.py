"""The owner of a row that blocks another, shown to users who may see it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from django.db.models import QuerySet

from importer.package.shapes import Owner, Problem
from importer.package.taken_values import taken
from importer.pipeline.ports import RowLookup
from importer.prepared import Draft, may


def taken_by(
    draft: Draft, name: str, value: Any, target: str, lookup: RowLookup, *, shown: Any
) -> Problem | None:
    """Return the problem of a value that another row has, None if it is free.

    ``value`` is what the look-up compares, ``shown`` what people see. A row that the
    look-up doesn't find exists only in the plan of a dry run; the overlay knows its
    object.
    """
    model = type(draft.row)
    own = None if draft.before is None else draft.before.pk
    holders = lookup.holders(model, name, value)
    holder = next((one for one in holders if one != own), None)
    if holder is None:
        return None
    row = lookup.row(model, holder)
    planned = Owner(target, holder, "") if may_view(draft) else None
    return taken(name, shown, planned if row is None else _owner(target, row, draft))


def may_view(draft: Draft) -> bool:
    """Return whether the user who writes a row may see other rows of its table.

    Writes by programs have no user.
    """
    user = draft.order.user
    return user is None or may(user, type(draft.row), "view")


def _owner(target: str, row: Any, draft: Draft) -> Owner | None:
    if not may_view(draft):
        return None
    return Owner(target, row.pk, str(row), row.import_source, row.import_key)


def with_owners(
    problems: Iterable[Problem],
    live: QuerySet[Any],
    draft: Draft,
    sources: Sequence[dict[str, str]],
    *,
    target: str,
) -> list[Problem]:
    """Return problems of taken values, completed with the live row that has each.

    ``sources`` are the unique sets of properties with the attribute behind each. It
    takes one query for each taken value, only after a refusal.
    """
    return [_with_owner(each, live, draft, sources, target) for each in problems]


def _with_owner(
    problem: Problem,
    live: QuerySet[Any],
    draft: Draft,
    sources: Sequence[dict[str, str]],
    target: str,
) -> Problem:
    own = None if draft.before is None else draft.before.pk
    for one in sources:
        if problem.path in (one if len(one) == 1 else ("",)):
            values = {column: getattr(draft.row, column) for column in one.values()}
            holder = live.filter(**values).exclude(pk=own).first()
            if holder is not None:
                value = ", ".join(map(str, values.values()))
                return taken(problem.path, value, _owner(target, holder, draft))
    return problem
