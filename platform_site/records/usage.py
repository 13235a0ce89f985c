"""Find who refers to a row, so that nothing in use can be deleted."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any

from platform_site.records.models import Record

_NAMED = 5


def users_of(row: Any) -> str:
    """Name up to five live rows that refer to a row, in a text; ``""`` if none do."""
    found = list(islice(_users(row), _NAMED + 1))
    named = ", ".join(found[:_NAMED])
    return f"{named} and others" if len(found) > _NAMED else named


def _users(row: Any) -> Iterator[str]:
    for relation in row._meta.related_objects:
        model = relation.related_model
        if issubclass(model, Record):
            name = model._meta.verbose_name
            live = model.objects.filter(**{relation.field.name: row}).live()
            yield from (f"{name} {user}" for user in live[: _NAMED + 1])
