"""Violations of constraints, read from the errors of database drivers."""

from __future__ import annotations

import sqlite3
from types import SimpleNamespace

import pytest
from django.db import IntegrityError

from importer.database_refusals import Constraint, Violation, violation_of

TABLE = """
CREATE TABLE shelf (code TEXT NOT NULL, place INT, depth INT CHECK (depth > 0));
CREATE TABLE line (number INT NOT NULL);
CREATE UNIQUE INDEX shelf_place ON shelf (place, depth);
CREATE UNIQUE INDEX shelf_code_in_any_case ON shelf (lower(code));
INSERT INTO shelf VALUES ('a', 1, 1);
"""


def raised_by(cause):
    """Return Django's error for a driver's error."""
    error = IntegrityError(str(cause))
    error.__cause__ = cause
    return error


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        (
            "INSERT INTO shelf VALUES ('b', 1, 1)",
            Violation(Constraint.UNIQUE, ("place", "depth")),
        ),
        (
            "INSERT INTO shelf VALUES ('A', 2, 2)",
            Violation(Constraint.UNIQUE, name="index 'shelf_code_in_any_case'"),
        ),
        (
            "INSERT INTO shelf VALUES (NULL, 2, 2)",
            Violation(Constraint.VALUE, ("code",)),
        ),
        (
            "INSERT INTO line VALUES (NULL)",
            Violation(Constraint.VALUE, ("line.number",)),
        ),
        (
            "INSERT INTO shelf VALUES ('b', 2, -2)",
            Violation(Constraint.RULE, name="depth > 0"),
        ),
    ],
)
def test_violations_are_read_from_sqlites_code_and_message(statement, expected):
    connection = sqlite3.connect(":memory:")
    connection.executescript(TABLE)
    with pytest.raises(sqlite3.IntegrityError) as refused:
        connection.execute(statement)
    assert violation_of(raised_by(refused.value), "shelf") == expected
    connection.close()


def of_postgresql(sqlstate, **told):
    nothing = ("column_name", "constraint_name", "table_name", "message_detail")
    cause = Exception("a sentence in the language of the server")
    cause.sqlstate = sqlstate
    cause.diag = SimpleNamespace(**{**dict.fromkeys(nothing), **told})
    return raised_by(cause)


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (
            of_postgresql(
                "23505",
                table_name="shelf",
                constraint_name="shelf_place",
                message_detail='Schlüssel »(code, "Place")=(a, 1)« existiert bereits.',
            ),
            Violation(Constraint.UNIQUE, ("code", "Place"), "shelf_place"),
        ),
        (
            of_postgresql(
                "23505",
                table_name="shelf",
                constraint_name="shelf_code_in_any_case",
                message_detail="Key (lower(code))=(a) already exists.",
            ),
            Violation(Constraint.UNIQUE, name="shelf_code_in_any_case"),
        ),
        (
            of_postgresql("23502", table_name="line", column_name="number"),
            Violation(Constraint.VALUE, ("line.number",)),
        ),
        (of_postgresql("23P01", table_name="shelf"), Violation(None)),
    ],
)
def test_violations_are_read_from_postgresqls_sqlstate_and_names(error, expected):
    assert violation_of(error, "shelf") == expected


def test_violations_of_other_databases_are_unknown():
    assert violation_of(IntegrityError("ORA-00001"), "shelf") == Violation(None)
