"""The plans of the queries inside a block, by which tests see which index they use.

Only SQLite's: it plans by the statement alone, PostgreSQL also by the size of tables,
and those of tests are too small for an index.
"""

from __future__ import annotations

from contextlib import contextmanager

import pytest
from django.db import connection


@contextmanager
def plans():
    """Yield a dictionary with the plan of each query."""
    if connection.vendor != "sqlite":
        pytest.skip("Only SQLite's plans don't depend on the size of tables.")
    asked, found = [], {}

    def note(execute, sql, params, many, context):
        asked.append((sql, params))
        return execute(sql, params, many, context)

    with connection.execute_wrapper(note):
        yield found
    with connection.cursor() as cursor:
        for sql, params in asked:
            if sql.startswith("SELECT"):
                cursor.execute(f"EXPLAIN QUERY PLAN {sql}", params)
                found[sql] = "\n".join(row[3] for row in cursor.fetchall())
