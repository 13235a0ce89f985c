"""Find who refers to a row, so that nothing in use can be deleted."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any

from django.utils.translation import gettext as _

from platform_site.records.models import Record

_NAMED = 5


def users_of(row: Any, *, deleted_too: bool = False) -> str:
    """Name up to five live rows that refer to a row, in a text; ``""`` if none do.

    Deleted rows still hold their references, which matters to who erases a row.
    """
    found = list(islice(_users(row, deleted_too=deleted_too), _NAMED + 1))
    named = ", ".join(found[:_NAMED])
    return _("%(rows)s and others") % {"rows": named} if len(found) > _NAMED else named


def _users(row: Any, *, deleted_too: bool) -> Iterator[str]:
    for relation in row._meta.related_objects:
        found = _referring(relation, row)
        if found is None:
            continue
        name = found.model._meta.verbose_name
        if not deleted_too:
            found = found.live()
        for user in found[: _NAMED + 1]:
            text = f"{name} {user}"
            yield _("%(row)s (deleted)") % {"row": text} if user.is_deleted else text


def _referring(relation: Any, row: Any) -> Any | None:
    """Return the business rows that refer to a row, by themselves or in a part.

    The table of a part says with ``part_of`` which of its columns names its row.
    """
    model, name = relation.related_model, relation.field.name
    if issubclass(model, Record):
        return model.objects.filter(**{name: row})
    owner = getattr(model, "part_of", name)
    if owner == name:
        return None
    parts = model._base_manager.filter(**{name: row})
    whole = model._meta.get_field(owner).related_model
    return whole.objects.filter(pk__in=parts.values(owner))
