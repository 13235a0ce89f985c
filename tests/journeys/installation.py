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

from platform_site.accounts.built_in import DEFAULT_ADMIN_PASSWORD
from platform_site.settings.configuration import APPLICATION_FOLDER
from tests.environment import in_ci, inherited
from tests.first_start import started_once, started_once_on_the_server
from tests.postgres_server import TO_SERVER, connection_to, drop
from tests.site.host.processes import LIMIT_SECONDS, free_port

_BETWEEN_LOOKS = 0.05
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

    def start_once(self, **settings):
        """Make the database, so that servers and commands find one."""
        raise NotImplementedError

    @property
    def url(self):
        """Where it is served: chosen at first, and the same from then on."""
        return self.env.setdefault("ASPNETCORE_URLS", f"http://127.0.0.1:{free_port()}")

    @property
    def port(self):
        """Return the port of its address."""
        return int(self.url.rpartition(":")[2])

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

    @contextlib.contextmanager
    def serving(self, **options):
        """Serve while the block lasts, and yield the process once it answers."""
        # Asked for first: the process inherits it.
        assert self.url
        with self.running("serve", **options) as process:
            while not process.stdout.readline().startswith("Platform is served"):
                assert process.poll() is None, process.communicate()
            yield process


class SqliteInstallation(Installation):
    """An installation with its database in its data folder."""

    def start_once(self, **settings):
        """Take a copy of a data folder."""
        started_once(self.data, **settings)

    def rows(self, query):
        """Return what a query finds, in a connection of its own."""
        with contextlib.closing(
            sqlite3.connect(self.data / "db" / "platform.db", timeout=30)
        ) as database:
            return database.execute(query).fetchall()


class PostgresInstallation(Installation):
    """An installation with a database of its own on the local server."""

    def __init__(self, data, **settings):
        self.database = f"journey_{uuid4().hex}"
        super().__init__(data, **settings)
        self.env |= connection_to(self.database)

    def start_once(self, **settings):
        """Take a copy of a data folder and of its database."""
        started_once_on_the_server(self.data, self.database, **settings)

    def rows(self, query):
        """Return what a query finds, in a connection of its own."""
        with psycopg.connect(f"{TO_SERVER} dbname={self.database}") as database:
            cursor = database.execute(query)
            return cursor.fetchall() if cursor.description else []

    def drop(self):
        """Remove the database."""
        drop(self.database)


# A fixture with these as its parameters runs its tests on both databases in one pass.
BOTH = [SqliteInstallation, PostgresInstallation]


def require_server():
    """Skip a test where the local server cannot be used, and say why."""
    try:
        psycopg.connect(f"{TO_SERVER} dbname=postgres").close()
    except psycopg.OperationalError as error:
        trouble = " ".join(str(error).split())
        # In CI a skipped test would pass for a good one.
        assert not in_ci(), trouble
        pytest.skip(f"There is no PostgreSQL server on this machine: {trouble}")


@contextlib.contextmanager
def installed(kind, data, **settings):
    """Make an installation of a kind, and leave none of its database behind."""
    if kind is PostgresInstallation:
        require_server()
    one = kind(data, **settings)
    try:
        yield one
    finally:
        one.drop()


def wait_until(condition, process=None, *, seconds=LIMIT_SECONDS):
    """Look again and again until a condition holds; fail if the process ends first."""
    end = time.monotonic() + seconds
    while not condition():
        if process is not None and process.poll() is not None:
            raise AssertionError(f"It ended early: {process.communicate()}")
        assert time.monotonic() < end, "It took too long."
        time.sleep(_BETWEEN_LOOKS)
