"""A look-up that passes its list of values as ONE parameter, on every database.

Django splits long ``IN`` lists on SQLite; with this look-up a window takes one query.
"""

from __future__ import annotations

import json
from typing import Any

from django.db import models
from django.db.models import Field, Lookup


class OneOf(Lookup):
    """A comparison of a column with a list: ``json_each`` on SQLite, ``ANY`` on
    PostgreSQL."""

    lookup_name = "one_of"
    prepare_rhs = False

    def as_sql(self, compiler: Any, connection: Any) -> Any:
        """Return the comparison for SQLite: the list is a JSON text."""
        column, params = self.process_lhs(compiler, connection)
        # ``column`` is quoted by Django, the values travel as a parameter.
        sql = f"{column} IN (SELECT value FROM json_each(%s))"  # noqa: S608
        return sql, [*params, *self._values(compiler, connection)]

    def as_postgresql(self, compiler: Any, connection: Any) -> Any:
        """Return the comparison for PostgreSQL: the list is an array."""
        column, params = self.process_lhs(compiler, connection)
        kind = self.lhs.output_field.db_type(connection)
        cast = {"varchar": "text", "bigserial": "bigint"}.get(kind.split("(")[0], kind)
        values = self._values(compiler, connection)
        return f"{column} = ANY(%s::{cast}[])", [*params, *values]

    def _values(self, compiler: Any, connection: Any) -> list[Any]:
        """Return the list as the only parameter."""
        if not self.rhs_is_direct_value():
            return list(compiler.compile(self.rhs)[1])
        field: Field[Any, Any] = self.lhs.output_field
        values = [field.get_db_prep_value(value, connection) for value in self.rhs]
        return [as_parameter(values, connection)]


def as_parameter(values: list[Any], connection: Any) -> Any:
    """Return a list of prepared values as the single parameter of the look-up."""
    if connection.vendor == "postgresql":
        return values
    return json.dumps(values, default=str)


def register() -> None:
    """Register ``__one_of`` for every field."""
    models.Field.register_lookup(OneOf)
    # Foreign keys don't inherit the look-ups of ordinary fields.
    models.ForeignObject.register_lookup(OneOf)
