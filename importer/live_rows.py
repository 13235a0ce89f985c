"""The check that the rows a row refers to are live and stay so until the commit.

Every write does this inside its own transaction, whatever was checked before, since a
user may have deleted a row in between. PostgreSQL locks the rows ``FOR KEY SHARE``,
which makes deletions wait (see ``lock_row``). On SQLite the single writer has locked
everything already.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import cache
from typing import Any

import msgspec
from django.db import connections, models, router
from django.utils.translation import gettext as _

from importer.columns import columns_of, is_deleted
from importer.cursors import prepared_cursor
from importer.lookups import as_parameter
from importer.package.shapes import Problem
from importer.pipeline.ports import RowLookup, StaleReference
from importer.reference_field import ReferenceField

Conditions = tuple[tuple[str, Any], ...]
LIVE: Conditions = (("is_deleted", False),)


class Wanted(msgspec.Struct, frozen=True, eq=False):
    """A table and the conditions that a referenced row must fulfil.

    There is one for each pair, so that look-ups needn't compare the conditions.
    """

    model: type[models.Model]
    conditions: Conditions = LIVE


class ReferenceColumn(msgspec.Struct, frozen=True):
    """A column that refers to rows that can be soft-deleted, and its property."""

    name: str
    attname: str
    path: str
    wanted: Wanted


class RowReference(msgspec.Struct, frozen=True):
    """One reference of a row: its property, its conditions and its key."""

    path: str
    wanted: Wanted
    row_id: Any


@cache
def _wanted(model: type[models.Model], conditions: Conditions) -> Wanted:
    return Wanted(model, conditions)


def reference_columns(
    model: type[models.Model],
    path: Callable[[str], str],
    conditions: Callable[[Any], Mapping[str, Any]] = lambda field: {},
) -> tuple[ReferenceColumn, ...]:
    """Return the columns of a model that refer to rows that can be soft-deleted.

    ``path`` returns the property of a field, ``conditions`` further conditions for the
    referenced row.
    """
    found = []
    for field in model._meta.concrete_fields:
        to: Any = field.related_model
        if to and (deleted := columns_of(to).deleted):
            wanted = {deleted: False, **conditions(field)}
            rows = _wanted(to, tuple(sorted(wanted.items())))
            name = field.name
            found.append(ReferenceColumn(name, field.attname, path(name), rows))
    return tuple(found)


def references_of(
    row: Any,
    columns: Iterable[ReferenceColumn],
    changed: Collection[str] | None = None,
) -> list[RowReference]:
    """Return the references of a row in the changed columns, None meaning all."""
    return [
        RowReference(column.path, column.wanted, row_id)
        for column in columns
        if changed is None or column.attname in changed or column.name in changed
        if (row_id := getattr(row, column.attname)) is not None
    ]


def not_live(references: Sequence[RowReference], lookup: RowLookup) -> list[Problem]:
    """Return a problem for each reference whose row is gone or deleted."""
    keys: dict[type[models.Model], set[Any]] = {}
    for each in references:
        keys.setdefault(each.wanted.model, set()).add(each.row_id)
    for model, row_ids in keys.items():
        lookup.load(model, row_ids)
    problems = []
    for each in references:
        row = lookup.row(each.wanted.model, each.row_id)
        if row is None or is_deleted(row):
            problems.append(_problem(each, row, lookup.name))
    return problems


def require_live(references: Sequence[RowReference]) -> None:
    """Lock the referenced rows until the transaction ends; raise StaleReference if one
    isn't live or doesn't fulfil its conditions.

    It takes one query, always in the order of tables and keys, so that writers can't
    deadlock. On SQLite the transaction must hold the writer's lock already.
    """
    if not references:
        return
    asked: dict[Wanted, set[Any]] = {}
    for each in references:
        asked.setdefault(each.wanted, set()).add(each.row_id)
    found = locked(asked)
    lost = [each for each in references if each.row_id not in found[each.wanted]]
    if lost:
        raise StaleReference(
            _problem(each, _stored(each.wanted.model, each.row_id), str)
            for each in lost
        )


def locked(asked: Mapping[Wanted, Collection[Any]]) -> dict[Wanted, set[Any]]:
    """Lock the rows that fulfil the conditions and return their keys, with one
    query."""
    tables = sorted(asked, key=lambda w: (w.model._meta.db_table, w.conditions))
    using = router.db_for_write(tables[0].model)
    connection = connections[using]
    # A single key is compared directly: a list with one key takes twice as long.
    single = [len(asked[wanted]) == 1 for wanted in tables]
    sql, fixed = _query(tuple(zip(tables, single, strict=True)), using)
    params: list[Any] = []
    stored: list[dict[Any, Any]] = []
    for wanted, alone, constants in zip(tables, single, fixed, strict=True):
        column = wanted.model._meta.pk
        keys = {
            key if type(key) is int else column.get_db_prep_value(key, connection): key
            for key in asked[wanted]
        }
        stored.append(keys)
        given = sorted(keys)
        params += [*constants, given[0] if alone else as_parameter(given, connection)]
    found: dict[Wanted, set[Any]] = {wanted: set() for wanted in tables}
    with prepared_cursor(connection) as cursor:
        cursor.execute(sql, params)
        for number, key in cursor.fetchall():
            found[tables[number]].add(stored[number][key])
    return found


@cache
def _query(
    tables: tuple[tuple[Wanted, bool], ...], using: str
) -> tuple[str, tuple[tuple[Any, ...], ...]]:
    """Return the query for one row of each table, or for a list of them, and the
    parameters before each key or list."""
    lock = key_share(using)
    parts, fixed = [], []
    for number, (wanted, alone) in enumerate(tables):
        rows = wanted.model._base_manager.using(using).filter(**dict(wanted.conditions))
        if alone:
            rows = rows.filter(pk=0).order_by()
        else:
            rows = rows.filter(pk__one_of=[0]).order_by("pk")
        keys = rows.values_list("pk")
        sql, params = keys.query.get_compiler(using).as_sql()
        # Compiled by Django; the keys travel as parameters.
        parts.append(f"SELECT {number}, t{number}.* FROM ({sql}{lock}) t{number}")  # noqa: S608
        fixed.append(tuple(params[:-1]))
    return " UNION ALL ".join(parts), tuple(fixed)


def key_share(using: str) -> str:
    """Return the end of a query that locks its rows against deletion until the commit.

    Rows that are being deleted at the same time are not found then.
    """
    return " FOR KEY SHARE" if connections[using].vendor == "postgresql" else ""


def lock_row(row: models.Model) -> None:
    """Lock a row before its deletion, after all transactions that refer to it.

    A search for its users afterwards finds all of them, and no new ones can appear.
    """
    model = type(row)
    using = router.db_for_write(model)
    if connections[using].features.has_select_for_update:
        rows = model._base_manager.using(using).order_by().filter(pk=row.pk)
        list(rows.select_for_update(of=("self",)).values_list("pk"))


def _stored(model: type[models.Model], row_id: Any) -> Any | None:
    return model._base_manager.filter(pk=row_id).first()


def _problem(
    reference: RowReference, row: Any | None, name: Callable[[Any], str]
) -> Problem:
    messages = ReferenceField.default_error_messages
    if row is None:
        sentence, code = messages["does_not_exist"], "not-found"
    elif is_deleted(row):
        sentence, code = messages["deleted"], "row-deleted"
    else:
        sentence, code = _("{row} can't be named here."), "not-a-choice"
    words = {"id": reference.row_id, "row": row and name(row)}
    return Problem(reference.path, str(sentence).format(**words), code)
