"""Prints the SQL of every migration for SQL Server, one migration after the other; run
in a process of its own, for it needs that provider and no server."""

from __future__ import annotations

import contextlib
import os
import sys
import types

import django
from django.db import connection
from django.db.migrations.loader import MigrationLoader

from platform_site.settings.choice import choose


class Driver(types.ModuleType):
    """Offer the names that the backend asks its driver for when it is imported."""

    version, pooling = "5.2.0", False

    def __getattr__(self, name):
        if name.startswith("SQL_"):
            return name
        if name.endswith("Error"):
            return Exception
        raise AttributeError(name)


class NoRows:
    """Answer every question with nothing."""

    def execute(self, *_arguments):
        return self

    def fetchone(self):
        return None

    def fetchall(self):
        return []


def stand_in_for_the_driver():
    """Let the backend be imported where the system lacks the driver manager."""
    try:
        import pyodbc  # noqa: F401, PLC0415 - only to see whether it can be loaded
    except ImportError:
        sys.modules["pyodbc"] = Driver("pyodbc")


def main():
    """Write the SQL to standard output."""
    choose(os.environ)
    stand_in_for_the_driver()
    django.setup()
    from mssql.base import DatabaseWrapper  # noqa: PLC0415 - only now can it be

    # What a server would be asked for: a version, that it is no cloud, and the names
    # of constraints, of which there are none yet.
    DatabaseWrapper.sql_server_version = 2019
    DatabaseWrapper.to_azure_sql_db = False
    DatabaseWrapper._cursor = lambda self: contextlib.nullcontext(NoRows())
    connection.introspection.get_constraints = lambda *_: {}
    loader = MigrationLoader(None)
    state = loader.project_state((), at_end=False)
    plan = [
        loader.graph.nodes[key]
        for leaf in loader.graph.leaf_nodes()
        for key in loader.graph.forwards_plan(leaf)
    ]
    for migration in dict.fromkeys(plan):
        with connection.schema_editor(collect_sql=True, atomic=False) as editor:
            state = migration.apply(state, editor, collect_sql=True)
        sys.stdout.write(f"-- {migration}\n")
        sys.stdout.write("\n".join([*editor.collected_sql, ""]))


if __name__ == "__main__":
    main()
