"""Find who refers to a row, so that nothing in use can be deleted."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from platform_site.records.models import Record

_NAMED = 5


@dataclass(frozen=True, slots=True)
class Users:
    """The first rows that refer to a row, and how many there are in all."""

    rows: tuple[Record, ...]
    count: int

    def __bool__(self) -> bool:
        return bool(self.count)

    def __str__(self) -> str:
        named = ", ".join(_named(row) for row in self.rows)
        more = self.count > len(self.rows)
        return _("%(rows)s and others") % {"rows": named} if more else named

    @property
    def wire(self) -> list[dict[str, Any]]:
        """Return the rows as programs see them."""
        return [
            {"model": row.catalog_name, "id": row.pk, "name": str(row)}
            for row in self.rows
        ]


def users_of(row: Any, *, deleted_too: bool = False) -> Users:
    """Return who refers to a row: up to five live rows by name, and their number.

    Deleted rows still hold their references, which matters to who erases a row.
    """
    rows: list[Record] = []
    count = 0
    for found in _users(row, deleted_too=deleted_too):
        first = list(found[:_NAMED])
        rows += first
        count += len(first) if len(first) < _NAMED else found.count()
    return Users(tuple(rows[:_NAMED]), count)


def _users(row: Any, *, deleted_too: bool) -> Iterator[Any]:
    """Yield the rows of each table that refer to a row."""
    for relation in row._meta.related_objects:
        found = _referring(relation, row)
        if found is not None:
            yield found if deleted_too else found.live()


def _named(user: Record) -> str:
    text = f"{user._meta.verbose_name} {user}"
    return _("%(row)s (deleted)") % {"row": text} if user.is_deleted else text


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
