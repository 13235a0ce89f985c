"""The PostgreSQL server of this machine: databases made and removed on it."""

from __future__ import annotations

import psycopg
from psycopg import sql

SERVER = "Host=127.0.0.1;Port=5432;Username=root"
TO_SERVER = "host=127.0.0.1 port=5432 user=root connect_timeout=5"


def connection_to(database):
    """Return the settings of an installation whose data is in a database."""
    connection = f"{SERVER};Database={database}"
    return {"Provider": "PostgreSql", "ConnectionStrings__PostgreSql": connection}


def create(database):
    """Make an empty database."""
    _run(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(database)))


def copy(original, database):
    """Make a database with the tables and rows of another one that nobody uses."""
    names = [sql.Identifier(name) for name in (database, original)]
    _run(sql.SQL("CREATE DATABASE {} TEMPLATE {}").format(*names))


def drop(database):
    """Remove a database, whoever still uses it."""
    statement = sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)")
    _run(statement.format(sql.Identifier(database)))


def _run(statement):
    with psycopg.connect(f"{TO_SERVER} dbname=postgres", autocommit=True) as server:
        server.execute(statement)
