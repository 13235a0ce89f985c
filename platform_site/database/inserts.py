"""INSERT statements that are compiled once.

Django compiles a statement for each row, which takes longer than executing it. The text
doesn't depend on the row unless a value is an expression.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from functools import cache
from typing import Any, Final, NamedTuple

from django.db import connections, models, router
from django.db.backends.base.operations import BaseDatabaseOperations
from django.db.models.constants import OnConflict
from django.db.models.sql import InsertQuery

from importer.targets import prepared_cursor

_MOST_STATEMENTS: Final = 1_000
# Django's fields whose values of these types are parameters as they are.
_AS_THEY_ARE: Final[tuple[tuple[type[models.Field[Any, Any]], type], ...]] = (
    (models.CharField, str),
    (models.TextField, str),
    (models.BooleanField, bool),
    (models.BigAutoField, int),
    (models.IntegerField, int),
)
_CONVERSIONS: Final = (
    "to_python",
    "get_prep_value",
    "get_db_prep_value",
    "get_db_prep_save",
)


class _Column(NamedTuple):
    """How a column gets its parameter from a row."""

    attname: str
    # What gives the value, None for the attribute itself.
    read: Callable[[Any, bool], Any] | None
    # The types of values that need no conversion.
    plain: frozenset[type]
    convert: Callable[[Any, Any], Any]


class _Statement(NamedTuple):
    """The text of a statement and its columns."""

    text: str
    columns: tuple[_Column, ...]

    def parameters(self, rows: Iterable[Any], connection: Any) -> list[Any] | None:
        """Return the parameters of the rows, None if one is an expression."""
        found: list[Any] = []
        # Rows have the same time in several columns, and converting it is slow.
        moment = converted = None
        for row in rows:
            for attname, read, plain, convert in self.columns:
                value = getattr(row, attname) if read is None else read(row, True)  # noqa: FBT003 - Django's signature
                kind = type(value)
                if kind in plain:
                    found.append(value)
                elif kind is datetime:
                    if value is not moment:
                        moment, converted = value, convert(value, connection)
                    found.append(converted)
                elif hasattr(value, "resolve_expression"):
                    return None
                else:
                    found.append(convert(value, connection))
        return found


# Shared by all threads; a race only compiles twice. None is one Django must compile.
_statements: dict[Any, _Statement | None] = {}


class _Existing(NamedTuple):
    """What happens to rows that exist already."""

    on_conflict: OnConflict
    update_fields: tuple[Any, ...] = ()
    unique_fields: tuple[Any, ...] = ()


def insert_rows(
    model: type[models.Model],
    rows: Sequence[Any],
    unique: Sequence[str] | None = None,
) -> None:
    """Insert rows, which need not be models but have an attribute for each column.

    The database draws the keys. It takes one statement, or several for many rows. Rows
    that have the same ``unique`` fields as existing ones replace their other values;
    with no such field existing rows stay as they are.
    """
    using = router.db_for_write(model)
    fields = _without_key(model)
    existing = None if unique is None else _existing(model, tuple(unique))
    most = max(connections[using].ops.bulk_batch_size(fields, rows), 1) if rows else 1
    for start in range(0, len(rows), most):
        insert(
            model,
            rows[start : start + most],
            fields,
            (),
            using=using,
            existing=existing,
        )


def insert_row(row: models.Model) -> None:
    """Insert a new row and give it its key; unlike ``save``, it sends no signals."""
    model: Any = type(row)
    using = router.db_for_write(model)
    key = model._meta.pk
    ((row.pk,),) = insert(model, [row], _without_key(model), [key], using=using)
    row._state.adding, row._state.db = False, using


def insert(
    model: type[models.Model],
    rows: Sequence[Any],
    fields: Sequence[Any],
    returning: Sequence[Any],
    *,
    using: str,
    existing: _Existing | None = None,
) -> list[tuple[Any, ...]]:
    """Insert rows with one statement and return the values of the returned fields."""
    connection = connections[using]
    # SQLite knows the last key without a second look at the row.
    draws_key = connection.vendor == "sqlite" and _is_drawn_key(model, returning)
    returned = () if draws_key else returning
    ids = (*map(id, fields), None, *map(id, returned))
    key = (connection.vendor, model, existing, len(rows), *ids)
    try:
        statement = _statements[key]
    except KeyError:
        compiler = _compiler(model, rows, fields, existing, connection)
        statement = _compiled(compiler, fields, returned, len(rows))
        if len(_statements) >= _MOST_STATEMENTS:
            _statements.clear()
        _statements[key] = statement
    params = statement and statement.parameters(rows, connection)
    if statement is None or params is None:
        compiler = _compiler(model, rows, fields, existing, connection)
        found: list[tuple[Any, ...]] = compiler.execute_sql(returning)
        return found
    with prepared_cursor(connection) as cursor:
        cursor.execute(statement.text, params)
        if draws_key:
            return [(cursor.lastrowid,)]
        return cursor.fetchall() if returned else []


def _compiler(
    model: type[models.Model],
    rows: Sequence[Any],
    fields: Sequence[Any],
    existing: _Existing | None,
    connection: Any,
) -> Any:
    """Return Django's compiler for the statement."""
    query: Any = InsertQuery(model, **(existing._asdict() if existing else {}))
    query.insert_values(fields, rows)
    return query.get_compiler(connection=connection)


def _compiled(
    compiler: Any, fields: Sequence[Any], returning: Sequence[Any], count: int
) -> _Statement | None:
    """Return Django's statement, None if its text depends on the rows."""
    connection = compiler.connection
    if any(field.get_db_converters(connection) for field in returning):
        return None
    compiler.returning_fields = returning
    statements = compiler.as_sql()
    values = ", ".join([f"({', '.join(['%s'] * len(fields))})"] * count)
    if len(statements) > 1 or f" VALUES {values}" not in statements[0][0]:
        return None
    columns = tuple(_column(field, connection) for field in fields)
    return _Statement(statements[0][0], columns)


def _column(field: Any, connection: Any) -> _Column:
    own, usual = type(field).pre_save, models.Field.pre_save
    if isinstance(field, models.DateTimeField) and not (
        field.auto_now or field.auto_now_add
    ):
        usual = models.DateTimeField.pre_save
    read = None if own is usual else field.pre_save
    plain = _plain_types(field, type(connection.ops))
    return _Column(field.attname, read, plain, field.get_db_prep_save)


def _plain_types(field: Any, operations: Any) -> frozenset[type]:
    """Return the types of values that a column stores as they are."""
    if isinstance(field, models.ForeignKey):
        same = type(field).get_db_prep_save is models.ForeignKey.get_db_prep_save
        return _plain_types(field.target_field, operations) if same else frozenset()
    adapted = operations.adapt_integerfield_value
    for base, kind in _AS_THEY_ARE:
        if (
            isinstance(field, base)
            and all(getattr(type(field), n) is getattr(base, n) for n in _CONVERSIONS)
            and (
                kind is not int
                or adapted is BaseDatabaseOperations.adapt_integerfield_value
            )
        ):
            return frozenset({kind, type(None)})
    return frozenset()


def _is_drawn_key(model: type[models.Model], fields: Sequence[Any]) -> bool:
    key = model._meta.pk
    return [*fields] == [key] and isinstance(key, models.AutoField)


@cache
def _existing(model: type[models.Model], unique: tuple[str, ...]) -> _Existing:
    if not unique:
        return _Existing(OnConflict.IGNORE)
    same = tuple(model._meta.get_field(name) for name in unique)
    others = tuple(field for field in _without_key(model) if field not in same)
    return _Existing(OnConflict.UPDATE, others, same)


def _without_key(model: type[models.Model]) -> list[Any]:
    key = model._meta.pk
    return [field for field in model._meta.concrete_fields if field is not key]
