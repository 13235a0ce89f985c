"""The reset of a SQLite database: what it keeps, when it acts, and that a crash at any
of its steps neither loses data nor resets twice."""

from __future__ import annotations

import logging
import os
import shutil
import sqlite3
from collections import namedtuple
from contextlib import closing

import pytest

from platform_site.settings.errors import StartRefusedError
from platform_site.site.host.backups import save_copy
from platform_site.site.host.reset import (
    PENDING_FILE,
    TOKENS_FILE,
    Orders,
    begin_reset,
    finish_reset,
    recorded_tokens,
    wanted_reset,
)
from tests.site.host.sqlite_files import (
    add_rows,
    leave_a_log,
    make_database,
    opened,
    rows_of,
)

NO_ORDERS = Orders(token="", policy="")
TOKEN = Orders(token="spring", policy="")
POLICY = Orders(token="", policy="reset")
NEWER = "from a newer version"


class Installation:
    """A data folder whose "start" does what the startup sequence does."""

    def __init__(self, folder, *rows):
        self.folder = folder / "backups"
        self.database = make_database(folder / "db" / "platform.db", *rows)

    def become_unknown(self):
        with closing(opened(self.database)) as live:
            add_rows(live, [NEWER])

    def is_unknown(self):
        return NEWER in rows_of(self.database)

    def start(self, orders):
        reset = wanted_reset(orders, self.database, self.folder, self.is_unknown)
        if reset is not None:
            begin_reset(reset, self.database, self.folder)
        if not self.database.exists():
            make_database(self.database, "seeded")
        finish_reset(self.folder)

    def copies(self):
        return sorted(self.folder.glob("platform-*-before-reset.db"))


@pytest.fixture
def installation(tmp_path):
    return Installation(tmp_path, "mine")


def test_a_new_token_saves_the_database_and_begins_afresh_once(installation):
    """HOST-109 to HOST-111."""
    for _ in range(3):
        installation.start(TOKEN)
    assert rows_of(installation.database) == ["seeded"]
    assert [rows_of(copy) for copy in installation.copies()] == [["mine"]]
    assert (installation.folder / TOKENS_FILE).read_text() == "spring\n"
    assert not (installation.folder / PENDING_FILE).exists()


def test_another_token_resets_again_and_an_old_one_does_not(installation):
    installation.start(TOKEN)
    installation.start(Orders(token="autumn", policy=""))
    installation.start(TOKEN)
    assert len(installation.copies()) == 2
    assert recorded_tokens(installation.folder) == ["spring", "autumn"]


def test_without_an_order_nothing_happens(installation):
    installation.become_unknown()
    installation.start(NO_ORDERS)
    assert rows_of(installation.database) == ["mine", NEWER]
    assert not installation.folder.exists()


def test_the_policy_acts_each_time_there_are_unknown_migrations(installation):
    """HOST-112 to HOST-114."""
    installation.start(POLICY)
    assert rows_of(installation.database) == ["mine"]
    for _ in range(2):
        installation.become_unknown()
        installation.start(POLICY)
    saved = [rows_of(copy) for copy in installation.copies()]
    assert saved == [["mine", NEWER], ["seeded", NEWER]]


def test_both_orders_at_once_are_one_reset(installation):
    installation.become_unknown()
    for _ in range(2):
        installation.start(Orders(token="spring", policy="Reset"))
    assert len(installation.copies()) == 1
    assert recorded_tokens(installation.folder) == ["spring"]


def test_a_token_without_a_database_is_recorded_and_nothing_is_saved(tmp_path):
    installation = Installation(tmp_path)
    installation.database.unlink()
    installation.start(TOKEN)
    assert installation.copies() == []
    assert recorded_tokens(installation.folder) == ["spring"]


def test_a_misspelt_policy_is_ignored_with_a_warning(installation, caplog):
    """HOST-048, OPEN-110."""
    installation.become_unknown()
    with caplog.at_level(logging.WARNING, logger="platform"):
        installation.start(Orders(token="", policy="Rest"))
    assert "'Rest'" in caplog.text
    assert rows_of(installation.database) == ["mine", NEWER]


def test_the_copy_holds_what_lay_only_in_the_log(installation):
    """HOST-108."""
    with closing(opened(installation.database)) as live:
        add_rows(live, ["in the log"])
        reset = wanted_reset(TOKEN, installation.database, installation.folder, bool)
        begin_reset(reset, installation.database, installation.folder)
    assert rows_of(installation.copies()[0]) == ["mine", "in the log"]


def test_a_database_that_an_operator_adds_after_the_deletion_is_kept(installation):
    reset = wanted_reset(TOKEN, installation.database, installation.folder, bool)
    begin_reset(reset, installation.database, installation.folder)
    make_database(installation.database, "put there by hand")
    installation.start(TOKEN)
    assert rows_of(installation.database) == ["put there by hand"]
    assert recorded_tokens(installation.folder) == ["spring"]


@pytest.mark.parametrize("text", ["", "{", "[]", '{"token": 1}'])
def test_a_damaged_intent_is_a_sentence(installation, text):
    save_copy(installation.database, installation.folder, "by-hand")
    (installation.folder / PENDING_FILE).write_text(text)
    with pytest.raises(StartRefusedError, match=PENDING_FILE):
        installation.start(NO_ORDERS)
    assert rows_of(installation.database) == ["mine"]


def test_a_record_that_cannot_be_written_refuses_the_start(installation):
    (installation.folder / TOKENS_FILE).mkdir(parents=True)
    with pytest.raises(StartRefusedError):
        installation.start(TOKEN)
    assert rows_of(installation.database) == ["mine"]


class Crash(BaseException):
    """Stand for the sudden end of the process."""


class CrashPoint:
    """End the process before the n-th change on the disk; dead, it changes no more."""

    WATCHED = ("replace", "unlink", "fsync", "open", "mkdir")

    def __init__(self, monkeypatch, before):
        self.left = before
        for name in self.WATCHED:
            monkeypatch.setattr(os, name, self._watched(getattr(os, name)))

    def _watched(self, real):
        def step(*arguments, **options):
            self.left -= 1
            if self.left < 0:
                raise Crash
            return real(*arguments, **options)

        return step


@pytest.mark.drill
@pytest.mark.parametrize("by_policy", [False, True])
def test_a_crash_before_any_step_loses_nothing_and_resets_once(tmp_path, by_policy):
    """OPEN-109."""
    orders = POLICY if by_policy else TOKEN
    for point in range(200):
        installation = Installation(tmp_path / str(point), "mine")
        if by_policy:
            installation.become_unknown()
        before = rows_of(installation.database)
        with pytest.MonkeyPatch.context() as patched:
            crash = CrashPoint(patched, point)
            try:
                installation.start(orders)
            except Crash:
                pass
        for _ in range(2):
            installation.start(orders)
        saved = [rows_of(copy) for copy in installation.copies()]
        assert saved == [before], point
        assert rows_of(installation.database) == ["seeded"], point
        assert recorded_tokens(installation.folder) == [orders.token] * (not by_policy)
        assert not list(installation.folder.glob(".*")), point
        if crash.left >= 0:
            break
    assert point > 12


def assert_moved_aside(installation, content):
    for _ in range(2):
        installation.start(TOKEN)
    assert rows_of(installation.database) == ["seeded"]
    (aside,) = installation.folder.glob("platform-*-damaged.db")
    assert aside.read_bytes() == content
    assert installation.copies() == []
    assert recorded_tokens(installation.folder) == ["spring"]
    return aside


@pytest.mark.parametrize("content", [b"", b"no database"])
def test_a_file_that_is_no_database_is_moved_aside_with_its_log(
    installation, content, caplog
):
    """What may be rescued from it is kept, as a restore keeps it."""
    leave_a_log(installation.database, "INSERT INTO note VALUES ('in the log')")
    log = installation.database.with_name("platform.db-wal").read_bytes()
    installation.database.write_bytes(content)
    aside = assert_moved_aside(installation, content)
    assert aside.with_name(f"{aside.name}-wal").read_bytes() == log
    assert str(aside) in caplog.text


def test_a_database_that_is_damaged_inside_is_moved_aside_and_never_deleted(
    installation,
):
    with closing(sqlite3.connect(installation.database)) as live:
        live.execute("PRAGMA journal_mode = DELETE")
    content = b"SQLite format 3\0" + b"\xff" * 8176
    installation.database.write_bytes(content)
    assert_moved_aside(installation, content)


def test_a_database_that_cannot_be_copied_for_another_reason_is_not_deleted(
    installation, monkeypatch
):
    usage = namedtuple("usage", "total used free")
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage(9, 9, 0))
    with pytest.raises(StartRefusedError, match="MiB are free"):
        installation.start(TOKEN)
    assert rows_of(installation.database) == ["mine"]
