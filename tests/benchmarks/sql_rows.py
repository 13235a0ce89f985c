"""Rows that the database itself makes, by one statement for each table."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from decimal import Decimal

from django.db import connection

START = datetime(2024, 1, 1, tzinfo=UTC)
PERIOD = timedelta(days=730)


class Dialect:
    """The expressions in which the two databases differ."""

    def __init__(self):
        self.is_sqlite = connection.vendor == "sqlite"

    def padded(self, number, width):
        if self.is_sqlite:
            return f"printf('%0{width}d', {number})"
        return f"lpad(({number})::text, {width}, '0')"

    def moment(self, share):
        """Return the time after a share of the period, an expression from 0 to 1."""
        seconds = f"({share}) * {int(PERIOD.total_seconds())}"
        if self.is_sqlite:
            at = f"strftime('%Y-%m-%d %H:%M:%f', '{START:%Y-%m-%d}',"
            return f"{at} '+' || ({seconds}) || ' seconds') || '000'"
        return f"timestamptz '{START:%Y-%m-%d}+00' + ({seconds}) * interval '1 second'"

    def run(self, number):
        if self.is_sqlite:
            return f"printf('%032x', {number})"
        return f"lpad(to_hex({number}), 32, '0')::uuid"

    def amount(self, number):
        return f"({number}) * 10000" if self.is_sqlite else f"({number})"

    def json(self, text):
        return text if self.is_sqlite else f"({text})::jsonb"

    def literal(self, value, field):
        """Return a value of a column as SQL."""
        value = field.get_db_prep_save(value, connection)
        if hasattr(value, "obj"):  # JSON, as psycopg wraps it
            value = field.get_prep_value(value.obj)
        match value:
            case None:
                return "NULL"
            case bool():
                return str(value).upper()
            case int() | float() | Decimal():
                return str(value)
            case list() | dict():
                return f"'{value!r}'" if not value else "NULL"
        return "'" + str(value).replace("'", "''") + "'"


def insert(model, count, /, **columns):
    """Insert rows whose columns are expressions of ``n``, from 0 up."""
    dialect, now = Dialect(), datetime(2026, 1, 1, tzinfo=UTC)
    given = {"created": now, "modified": now, "is_deleted": False, "version": 1}
    names, values = [], []
    for field in model._meta.concrete_fields:
        expression = columns.pop(field.attname, None)
        if expression is None:
            if field.primary_key:
                expression = "n + 1"
            else:
                default = given.get(field.attname, field.get_default())
                expression = dialect.literal(default, field)
        names.append(connection.ops.quote_name(field.column))
        values.append(expression)
    assert not columns, columns
    table = connection.ops.quote_name(model._meta.db_table)
    with connection.cursor() as cursor:
        cursor.execute(
            f"INSERT INTO {table} ({', '.join(names)}) "
            "WITH RECURSIVE numbers(n) AS (SELECT 0 UNION ALL "
            f"SELECT n + 1 FROM numbers WHERE n + 1 < {count}) "
            f"SELECT {', '.join(values)} FROM numbers WHERE n < {count}"
        )
