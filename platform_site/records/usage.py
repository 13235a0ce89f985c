"""The search for rows that refer to a row, so that rows in use can't be deleted."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from django.apps import apps
from django.db import models
from django.db.models import Q, Value
from django.utils.translation import gettext as _

from importer import Problem
from importer.targets import WayToRefer, lock_row, relations_to
from platform_site.database.prepared_queries import PreparedQuery
from platform_site.records.errors import InUse
from platform_site.records.models import Record
from platform_site.records.row_lookup import may_see

MOST_NAMED = 5


@dataclass(frozen=True, slots=True)
class Users:
    """The first rows that refer to a row, and the number of all.

    The first ones are those that the actor may see; others only count.
    """

    rows: tuple[Record, ...]
    count: int

    def __bool__(self) -> bool:
        return bool(self.count)

    def __str__(self) -> str:
        named = ", ".join(_named(row) for row in self.rows)
        if not named:
            return _("rows that you may not see")
        more = self.count > len(self.rows)
        return _("%(rows)s and others") % {"rows": named} if more else named

    @property
    def wire(self) -> list[dict[str, Any]]:
        """Return the rows in the form of the API."""
        return [
            {"model": row.catalog_name, "id": row.pk, "name": str(row)}
            for row in self.rows
        ]


def refuse_if_used(row: Any, *, deleted_too: bool = False) -> None:
    """Lock a row and raise InUse if rows refer to it; new references must wait."""
    lock_row(row)
    model: Any = type(row)
    any_reference = _any_reference(model)
    if any_reference is None or not any_reference.rows([row.pk]):
        return
    users = users_of(row, deleted_too=deleted_too)
    if users:
        raise in_use(row, users)


@cache
def _any_reference(model: type[Record]) -> PreparedQuery | None:
    """Return the query for any reference to a row, None if nothing can refer to it.

    Most rows that are deleted have none, and it takes a tenth of the time of a search
    for their users. Some of those that it finds don't count, such as references of
    deleted rows.
    """
    relations = list(relations_to(model))
    if not relations:
        return None

    def build(keys: Any) -> models.QuerySet[Any]:
        first, *others = (
            each.related_model._base_manager.order_by()
            .filter(**{f"{each.field.attname}__one_of": keys})
            .values_list(Value(1))
            for each in relations
        )
        found: models.QuerySet[Any] = first.union(*others, all=True)
        return found[:1]

    return PreparedQuery(build)


def in_use(row: Any, users: Users | str) -> InUse:
    """Return the refusal to delete a row that others refer to."""
    sentence = _("%(row)s is in use: %(users)s.")
    words = {"row": row, "users": users}
    problems = [Problem("", sentence % words, "row-in-use")]
    if isinstance(users, str):
        return InUse(problems)
    return InUse(problems, users.wire, users.count)


def users_of(row: Any, *, deleted_too: bool = False) -> Users:
    """Return the users of a row: up to five live rows, and their number.

    Deleted rows still have their references, which matter when a row is erased.
    """
    referring = (
        model.objects.filter(condition) for model, condition in _users(row).items()
    )
    return first_of(rows if deleted_too else rows.live() for rows in referring)


def first_of(found: Iterable[Any]) -> Users:
    """Return the first five rows of several queries, and the number of all."""
    rows: list[Record] = []
    count = 0
    for each in found:
        first = list(each[:MOST_NAMED])
        rows += first if may_see(each.model) else []
        count += len(first) if len(first) < MOST_NAMED else each.count()
    return Users(tuple(rows[:MOST_NAMED]), count)


def ways_to_refer(model: type[Record], keys: Sequence[int]) -> Iterator[WayToRefer]:
    """Yield the ways in which live rows refer to rows of a model with some keys: the
    same three as below."""
    for relation in relations_to(model):
        other, name = relation.related_model, relation.field.name
        if issubclass(other, Record):
            yield WayToRefer(other, other.objects.live(), name)
            continue
        rows = other._base_manager.all()
        owner = getattr(other, "part_of", name)
        if owner != name:
            whole = other._meta.get_field(owner).related_model
            live = rows.filter(**{f"{owner}__is_deleted": False})
            yield WayToRefer(whole, live, name, f"{owner}_id")
        elif hasattr(other, "row_of"):
            catalog, key = other.row_of
            named = rows.filter(**{f"{name}__one_of": keys}).order_by()
            for found in named.values_list(catalog, flat=True).distinct():
                of = rows.filter(**{catalog: found})
                yield WayToRefer(_model_named(found), of, name, key)


def _users(row: Any) -> dict[type[Record], Q]:
    """Return a query per table for the rows that refer to a row in any way."""
    users: dict[type[Record], Q] = {}
    for relation in relations_to(type(row)):
        for model, condition in _referring(relation, row):
            users[model] = users.get(model, Q()) | condition
    return users


def _named(user: Record) -> str:
    text = f"{user._meta.verbose_name} {user}"
    return _("%(row)s (deleted)") % {"row": text} if user.is_deleted else text


def _referring(relation: Any, row: Any) -> Iterator[tuple[type[Record], Q]]:
    """Yield the queries for business rows that refer to a row by one relation, in one
    of three ways.

    Directly; in a part, whose table names its row's column in ``part_of``; or through
    rows in a table that names the columns with catalog and key in ``row_of``.
    """
    model, name = relation.related_model, relation.field.name
    if issubclass(model, Record):
        yield model, Q(**{name: row})
        return
    rows = model._base_manager.order_by().filter(**{name: row})
    owner = getattr(model, "part_of", name)
    if owner != name:
        whole = model._meta.get_field(owner).related_model
        yield whole, Q(pk__in=rows.values(owner))
    elif hasattr(model, "row_of"):
        catalog, key = model.row_of
        for found in rows.values_list(catalog, flat=True).distinct():
            yield (
                _model_named(found),
                Q(pk__in=rows.filter(**{catalog: found}).values(key)),
            )


def _model_named(catalog: str) -> type[Record]:
    """Return the model of a catalog or document kind."""
    return next(
        model
        for model in apps.get_models()
        if issubclass(model, Record) and model.catalog_name == catalog
    )
