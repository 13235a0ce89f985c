"""Find who refers to a row, so that nothing in use can be deleted."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any

from platform_site.records.models import Record

_NAMED = 5


def users_of(row: Any, *, deleted_too: bool = False) -> str:
    """Name up to five live rows that refer to a row, in a text; ``""`` if none do.

    Deleted rows still hold their references, which matters to who erases a row.
    """
    found = list(islice(_users(row, deleted_too=deleted_too), _NAMED + 1))
    named = ", ".join(found[:_NAMED])
    return f"{named} and others" if len(found) > _NAMED else named


def _users(row: Any, *, deleted_too: bool) -> Iterator[str]:
    for relation in row._meta.related_objects:
        model = relation.related_model
        if issubclass(model, Record):
            name = model._meta.verbose_name
            users = model.objects.filter(**{relation.field.name: row})
            if not deleted_too:
                users = users.live()
            for user in users[: _NAMED + 1]:
                yield f"{name} {user}" + (" (deleted)" if user.is_deleted else "")
