"""An installation in a folder of its own, driven by its commands as an operator does."""

from __future__ import annotations

import contextlib
import sqlite3
import subprocess
import sys
import time
from uuid import uuid4

import psycopg
import pytest
from psycopg import sql

from platform_site.accounts.built_in import DEFAULT_ADMIN_PASSWORD
from platform_site.settings.configuration import APPLICATION_FOLDER
from tests.environment import in_ci, inherited
from tests.first_start import started_once
from tests.site.host.processes import LIMIT_SECONDS

_BETWEEN_LOOKS = 0.05
SERVER = "Host=127.0.0.1;Port=5432;Username=root"
_TO_SERVER = "host=127.0.0.1 port=5432 user=root connect_timeout=5"
MANAGE = [sys.executable, str(APPLICATION_FOLDER / "manage.py")]


class Installation:
    """A data folder, its database, and the commands that work on them."""

    def __init__(self, data, **settings):
        self.data = data
        self.env = {
            **inherited(),
            "Platform__DataPath": str(data),
            # Chosen, so that no wizard stands before the start page.
            "Platform__Seed__AdminPassword": DEFAULT_ADMIN_PASSWORD,
            # Nobody reads it while a server runs, and a full pipe would stop that.
            "Logging__Access": "false",
            **settings,
        }
        self.start_once(**settings)

    def start_once(self, **_settings):
        """Make the database, so that servers and commands find one."""
        done = self.command("startup")
        assert done.returncode == 0, done.stderr

    def drop(self):
        """Remove what lies outside of its folder."""

    def command(self, *arguments):
        """Run a command to its end."""
        return subprocess.run(
            [*MANAGE, *map(str, arguments)],
            env=self.env,
            capture_output=True,
            text=True,
            timeout=LIMIT_SECONDS,
            check=False,
        )

    @contextlib.contextmanager
    def running(self, *arguments, log=subprocess.PIPE):
        """Run a command while the block lasts, at the latest.

        What logs much needs a file for it: a pipe that nobody reads is full soon.
        """
        process = subprocess.Popen(
            [*MANAGE, *map(str, arguments)],
            env=self.env,
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
        )
        try:
            yield process
        finally:
            process.kill()
            process.communicate(timeout=LIMIT_SECONDS)


class SqliteInstallation(Installation):
    """An installation with its database in its data folder."""

    def start_once(self, **settings):
        """Take a copy of one, unless a setting changes what the first start does."""
        if settings:
            super().start_once()
        else:
            started_once(self.data)

    def rows(self, query):
        """Return what a query finds, in a connection of its own."""
        with contextlib.closing(
            sqlite3.connect(self.data / "db" / "platform.db", timeout=30)
        ) as database:
            return database.execute(query).fetchall()


class PostgresInstallation(Installation):
    """An installation with a database of its own on the local server."""

    def __init__(self, data):
        self.database = f"journey_{uuid4().hex}"
        _on_server("CREATE DATABASE {}", self.database)
        try:
            super().__init__(
                data,
                Provider="PostgreSql",
                ConnectionStrings__PostgreSql=f"{SERVER};Database={self.database}",
            )
        except BaseException:
            self.drop()
            raise

    def rows(self, query):
        """Return what a query finds, in a connection of its own."""
        with psycopg.connect(f"{_TO_SERVER} dbname={self.database}") as database:
            cursor = database.execute(query)
            return cursor.fetchall() if cursor.description else []

    def drop(self):
        """Remove the database."""
        _on_server("DROP DATABASE IF EXISTS {} WITH (FORCE)", self.database)


# A fixture with these as its parameters runs its tests on both databases in one pass.
BOTH = [SqliteInstallation, PostgresInstallation]


def require_server():
    """Skip a test where the local server cannot be used, and say why."""
    try:
        psycopg.connect(f"{_TO_SERVER} dbname=postgres").close()
    except psycopg.OperationalError as error:
        trouble = " ".join(str(error).split())
        # In CI a skipped test would pass for a good one.
        assert not in_ci(), trouble
        pytest.skip(f"There is no PostgreSQL server on this machine: {trouble}")


@contextlib.contextmanager
def installed(kind, data):
    """Make an installation of a kind, and leave none of its database behind."""
    if kind is PostgresInstallation:
        require_server()
    one = kind(data)
    try:
        yield one
    finally:
        one.drop()


def _on_server(statement, name):
    with psycopg.connect(f"{_TO_SERVER} dbname=postgres", autocommit=True) as server:
        server.execute(sql.SQL(statement).format(sql.Identifier(name)))


def wait_until(condition, process=None):
    """Look again and again until a condition holds; fail if the process ends first."""
    end = time.monotonic() + LIMIT_SECONDS
    while not condition():
        if process is not None and process.poll() is not None:
            raise AssertionError(f"It ended early: {process.communicate()}")
        assert time.monotonic() < end, "It took too long."
        time.sleep(_BETWEEN_LOOKS)
