"""Migrations and resets whose process is killed at any moment: the next start continues
there, and nothing is lost or done twice."""

from __future__ import annotations

import os
import random
import shutil
import sqlite3
import subprocess
import sys
import time
from contextlib import closing, suppress

import pytest

from platform_site.settings.configuration import APPLICATION_FOLDER
from tests.drill import times
from tests.site.host.processes import LIMIT_SECONDS, announced, environment, start, stop
from tests.site.host.upgrades import copies, execute, make_older, run

pytestmark = [
    pytest.mark.process,
    pytest.mark.drill,
    pytest.mark.skipif(os.name != "posix", reason="There is no kill -9."),
]
TOKEN = {"Platform__Database__ResetToken": "spring"}
BETWEEN_LOOKS_SECONDS = 0.005


class Work:
    """A command that is killed while it changes the data folder, not before."""

    def __init__(self, data, *arguments, **settings):
        self.data = data
        self.arguments, self.settings = arguments, settings
        self.killed = 0
        self._seconds = None

    def measure(self, folder):
        """Let it come to its end once, to know from which moments to draw."""
        process = self._begin(folder)
        begun = time.monotonic()
        assert process.wait(timeout=LIMIT_SECONDS) == 0
        self._seconds = time.monotonic() - begun

    def kill(self, folder):
        """Begin it, and kill it somewhere between its first change and its end."""
        process = self._begin(folder)
        begun = time.monotonic()
        with suppress(subprocess.TimeoutExpired):
            process.wait(timeout=random.uniform(0, self._seconds))
            # The machine has less to do than when it was measured.
            self._seconds = min(self._seconds, time.monotonic() - begun)
        process.kill()
        self.killed += process.wait() < 0

    def copy(self, name):
        return shutil.copytree(self.data, self.data.with_name(name))

    def _begin(self, folder):
        process = subprocess.Popen(
            [sys.executable, str(APPLICATION_FOLDER / "manage.py"), *self.arguments],
            env=environment(folder, **self.settings),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        # Its first change is the folder of the copy it takes.
        while process.poll() is None and not (folder / "backups").exists():
            with suppress(subprocess.TimeoutExpired):
                process.wait(timeout=BETWEEN_LOOKS_SECONDS)
        return process


@pytest.fixture
def old(data):
    """Return an installation of an older version in which there is something to lose."""
    execute(data, "UPDATE accounts_user SET first_name = 'mine'")
    back = run(data, "migrate", "documents", "zero")
    assert back.returncode == 0, back.stderr
    make_older(data)
    shutil.rmtree(data / "backups")
    return data


def rehearse(work, rounds, check):
    work.measure(work.copy("measured"))
    for number in range(rounds):
        folder = work.copy(f"attempt-{number}")
        work.kill(folder)
        check(folder)
        if number:
            shutil.rmtree(folder)
    # Most were in the middle of it, or a drill proves nothing; a few may all be late.
    assert rounds < 10 or work.killed > rounds / 2
    assert_serves(work.data.with_name("attempt-0"), **work.settings)


def assert_serves(folder, **settings):
    served = start(folder, **settings)
    try:
        announced(served)
        assert served.get("/health/ready")[0] == 200
    finally:
        assert stop(served) == 0


def names_in(path):
    with closing(sqlite3.connect(path)) as database:
        rows = database.execute("SELECT username, first_name FROM accounts_user")
        return dict(rows.fetchall())


def test_migrate_killed_at_any_time_is_finished_by_the_next_start(old):
    """What the old version had is in the database and in a backup, each row once."""
    before = names_in(old / "db" / "platform.db")

    def check(folder):
        ended = run(folder, "startup")
        assert ended.returncode == 0, ended.stderr
        assert names_in(folder / "db" / "platform.db") == before
        assert execute(folder, "PRAGMA integrity_check") == [("ok",)]
        assert execute(folder, "SELECT * FROM documents_goodsreceipt") == []
        assert execute(folder, "SELECT * FROM django_session") == []
        assert names_in(copies(folder, "before-*")[0]) == before

    rehearse(Work(old, "migrate"), times(few=3, many=200), check)


def test_a_reset_killed_at_any_time_is_finished_once(old):
    """The old rows are in one copy; what is entered afterwards is never reset."""
    before = names_in(old / "db" / "platform.db")

    def check(folder):
        for first_name in ("", "later"):
            ended = run(folder, "startup", **TOKEN)
            assert ended.returncode == 0, ended.stderr
            found = set(names_in(folder / "db" / "platform.db").values())
            assert found == {first_name}
            execute(folder, "UPDATE accounts_user SET first_name = 'later'")
        assert [names_in(copy) for copy in copies(folder, "before-reset")] == [before]
        tokens = (folder / "backups" / "reset-tokens.txt").read_text("utf-8")
        assert tokens == "spring\n"
        assert not (folder / "backups" / "reset-pending.json").exists()

    rehearse(Work(old, "startup", **TOKEN), times(few=2, many=100), check)
