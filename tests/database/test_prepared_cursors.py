"""The server parses a repeated statement once, and gets each value as it was meant."""

from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal

import pytest
from django.db import connection, transaction

from importer.targets import prepared_cursor
from platform_site.database.postgresql.base import _PLANNED_FOR

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.skipif(
        connection.vendor != "postgresql", reason="only PostgreSQL prepares statements"
    ),
]

TEXT = "SELECT %s::text"


def ask(text, *params):
    with prepared_cursor(connection) as cursor:
        cursor.execute(text, params)
        return cursor.fetchone()[0]


def prepared(text):
    """Return how many statements of the connection have a text."""
    server_text = text.replace("%s", "$1")
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM pg_prepared_statements WHERE statement = %s",
            [server_text],
        )
        return cursor.fetchone()[0]


def test_a_repeated_statement_is_prepared_once_whatever_its_values():
    text = f"{TEXT} AS repeated"
    for value in (1, None, 2**40, "x", Decimal("1.5"), True, 7, None):
        ask(text, value)
    assert prepared(text) == 1


def test_a_rare_statement_is_not_prepared():
    text = f"{TEXT} AS rare"
    ask(text, 1)
    assert prepared(text) == 0


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        ("smallint", -5),
        ("bigint", 2**62),
        ("boolean", True),
        ("boolean", False),
        ("numeric", Decimal("-12.3400")),
        ("numeric", Decimal("1E+3")),
        ("date", date(2026, 2, 28)),
        ("timestamptz", datetime(2026, 2, 28, 23, 59, 59, 999999, tzinfo=UTC)),
        ("text", "it's 100 % \\ “x”"),
        ("bigint[]", [1, None, 2**40]),
        ("text[]", ["a", 'b"c', None]),
        ("boolean", None),
    ],
)
def test_each_value_arrives_as_it_was_meant(kind, value):
    for _ in range(5):
        found = ask(f"SELECT %s::{kind}", value)
        assert found == value
        assert type(found) is type(value)


def test_a_statement_is_prepared_again_after_a_rollback():
    text = f"{TEXT} AS rolled_back"
    for _ in range(5):
        ask(text, 1)
    with transaction.atomic():
        transaction.set_rollback(True)
    assert [ask(text, n) for n in range(5)] == ["0", "1", "2", "3", "4"]


def test_statements_are_counted_and_logged_as_django_does(django_assert_num_queries):
    with django_assert_num_queries(6) as queries:
        for _ in range(6):
            ask(TEXT, 5)
    assert {query["sql"] for query in queries} == {"SELECT 5::text"}


def test_a_plan_for_an_empty_table_is_not_kept_when_it_has_grown():
    with connection.cursor() as cursor:
        cursor.execute("CREATE TABLE grown (number bigint PRIMARY KEY, said text)")
        cursor.execute("ANALYZE grown")
    text = "SELECT count(*) FROM grown WHERE number = %s"
    for number in range(20):
        ask(text, number)
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO grown SELECT n, repeat('x', 500) FROM generate_series(1, 9000) n"
        )
    for number in range(_PLANNED_FOR):
        ask("SELECT %s::bigint", number)
    assert ask(text, 1) == 1
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT name FROM pg_prepared_statements WHERE statement = %s",
            [text.replace("%s", "$1")],
        )
        name = cursor.fetchone()[0]
        cursor.execute(f'EXPLAIN EXECUTE "{name}" (1)')
        plan = "\n".join(row[0] for row in cursor.fetchall())
    assert "Seq Scan" not in plan
