"""Queries that Django compiles once.

Building and compiling a query of a few rows takes longer than executing it. These are
built with parameters, which get their values at each use.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from datetime import datetime
from typing import Any, Final, NamedTuple

from django.db import connections, models, router
from django.db.models.sql import UpdateQuery

from importer.targets import as_parameter, key_share, prepared_cursor


class _Parameter(models.Expression):
    """The place of a parameter in a query."""

    def __init__(self, number: int) -> None:
        super().__init__(output_field=models.Field[Any, Any]())
        self.number = number

    def as_sql(self, compiler: Any, connection: Any) -> Any:
        """Return a placeholder, with the expression itself as its parameter."""
        return "%s", [self]


class _Statement(NamedTuple):
    """The text of a query, its parameters and constants, and converters by column."""

    text: str
    params: tuple[Any, ...]
    converters: dict[int, tuple[list[Callable[..., Any]], Any]]


class PreparedQuery:
    """A query that is compiled once for each kind of database.

    ``build`` returns a query set of values, or the result of `updating`. Its parameters
    are used like values; a list is for the look-up ``one_of``. With ``kept`` the rows
    found can't be erased until the transaction ends.
    """

    def __init__(self, build: Callable[..., Any], *, kept: bool = False) -> None:
        self._build = build
        self._count: Final = len(inspect.signature(build).parameters)
        self._kept = kept
        self._statements: dict[str, _Statement] = {}
        self._model: type[models.Model] | None = None

    def rows(self, *values: Any) -> list[tuple[Any, ...]]:
        """Return the rows for some values of the parameters."""
        statement, params, connection = self._at(values)
        with prepared_cursor(connection) as cursor:
            cursor.execute(statement.text, params)
            found: list[tuple[Any, ...]] = cursor.fetchall()
        if not statement.converters:
            return found
        rows = [[*row] for row in found]
        for place, (functions, expression) in statement.converters.items():
            for row in rows:
                for function in functions:
                    row[place] = function(row[place], expression, connection)
        return [tuple(row) for row in rows]

    def update(self, *values: Any) -> int:
        """Carry out an update and return the number of rows that it found."""
        statement, params, connection = self._at(values)
        with prepared_cursor(connection) as cursor:
            cursor.execute(statement.text, params)
            count: int = cursor.rowcount
        return count

    def _at(self, values: tuple[Any, ...]) -> tuple[_Statement, list[Any], Any]:
        """Return the statement, its parameters and the connection."""
        if self._model is None:
            self._model = self._query().model
        using = router.db_for_write(self._model)
        connection = connections[using]
        statement = self._statements.get(connection.vendor)
        if statement is None:
            statement = self._statements[connection.vendor] = self._compiled(using)
        given = [_adapted(value, connection) for value in values]
        params = [
            given[each.number] if type(each) is _Parameter else each
            for each in statement.params
        ]
        return statement, params, connection

    def _query(self) -> Any:
        built = self._build(*map(_Parameter, range(self._count)))
        return built.query if isinstance(built, models.QuerySet) else built

    def _compiled(self, using: str) -> _Statement:
        compiler = self._query().get_compiler(using)
        text, params = compiler.as_sql()
        if self._kept:
            text += key_share(using)
        selected = [
            column for column, *_more in getattr(compiler, "select", None) or ()
        ]
        return _Statement(text, tuple(params), compiler.get_converters(selected))


def updating(rows: models.QuerySet[Any, Any], **columns: Any) -> Any:
    """Return the query that sets some columns of rows."""
    query: Any = rows.query.chain(UpdateQuery)
    query.add_update_values(columns)
    return query


def _adapted(value: Any, connection: Any) -> Any:
    """Return a value as a parameter for the driver."""
    if type(value) is list:
        return as_parameter(value, connection)
    if type(value) is datetime:
        return connection.ops.adapt_datetimefield_value(value)
    return value
