"""What holds for a database on a server: it is never copied and never reset, and a newer
one is refused as well."""

from __future__ import annotations

import os

import psycopg
import pytest

from tests.host.processes import command, environment

pytestmark = pytest.mark.process
SERVER = "host=127.0.0.1 port=5432 user=root dbname=postgres connect_timeout=5"
NAME = f"platform_upgrade_{os.getpid()}"


@pytest.fixture(scope="module")
def server():
    try:
        connection = psycopg.connect(SERVER, autocommit=True)
    except psycopg.OperationalError as error:
        if os.environ.get("CI", "").casefold() == "true":
            raise
        pytest.skip(f"PostgreSQL does not answer: {' '.join(str(error).split())}")
    with connection:
        connection.execute(f"CREATE DATABASE {NAME}")
        yield
        connection.execute(f"DROP DATABASE {NAME} WITH (FORCE)")


def execute(statement):
    with psycopg.connect(SERVER.replace("postgres", NAME)) as connection:
        cursor = connection.execute(statement)
        return cursor.fetchall() if cursor.description else []


def start_up(data, **more):
    database = f"Host=127.0.0.1;Port=5432;Database={NAME};Username=root"
    return command(
        "startup",
        env=environment(
            data,
            Provider="PostgreSql",
            ConnectionStrings__PostgreSql=database,
            **more,
        ),
    )


@pytest.mark.usefixtures("server")
def test_a_database_on_a_server_is_neither_copied_nor_reset(tmp_path):
    data = tmp_path / "data"
    orders = {
        "Platform__Database__ResetToken": "spring",
        "Platform__Database__IncompatibleHistory": "Reset",
    }
    assert start_up(data).returncode == 0
    execute("UPDATE accounts_user SET first_name = 'mine'")
    # An older one: it is migrated, and nothing is copied or reset.
    execute("DROP TABLE django_session")
    execute("DELETE FROM django_migrations WHERE app = 'sessions'")
    ended = start_up(data, **orders)
    assert ended.returncode == 0, ended.stderr
    assert execute("SELECT count(*) FROM django_session") == [(0,)]
    # A newer one: it is refused, whatever the settings say.
    execute(
        "INSERT INTO django_migrations (app, name, applied)"
        " VALUES ('catalogs', '9999_later', now())"
    )
    ended = start_up(data, **orders)
    assert ended.returncode == 1
    assert "catalogs.9999_later" in ended.stderr.splitlines()[-1]
    assert "ResetToken" not in ended.stderr.splitlines()[-1]
    names = execute("SELECT DISTINCT first_name FROM accounts_user")
    assert names == [("mine",)]
    assert not (data / "backups").exists()
    assert not list(data.glob("db/*.db"))
