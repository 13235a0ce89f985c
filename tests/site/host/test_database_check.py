"""The daily check of a SQLite database: what it finds, keeps and says."""

from __future__ import annotations

import datetime as dt
import logging
import sqlite3
import threading
from contextlib import closing

import pytest

from platform_site.settings.configuration import build
from platform_site.settings.env import read_settings
from platform_site.site.host import database_check
from platform_site.site.host.database_check import (
    check_now,
    daily_check,
    is_due,
    last_check,
)
from platform_site.site.overview.host import damage
from tests.site.host.sqlite_files import add_rows, make_database, opened

PAGE_BYTES = 4096


@pytest.fixture
def database(tmp_path, settings):
    settings.PLATFORM_DATA_FOLDER = tmp_path
    rows = [f"{number}" * 200 for number in range(500)]
    return make_database(tmp_path / "db" / "platform.db", *rows)


def spoil(database):
    """Overwrite pages in the middle, as a bad disk does."""
    with closing(sqlite3.connect(database)) as live:
        live.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    with database.open("r+b") as file:
        file.seek(PAGE_BYTES * 10)
        file.write(b"\xff" * PAGE_BYTES * 4)


def test_damage_inside_the_file_is_reported_with_the_newest_good_backup(
    database, tmp_path, caplog
):
    good = make_database(
        tmp_path / "backups" / "platform-20260101T000000000000Z-by-hand.db", "mine"
    )
    spoil(database)
    check_now(database, tmp_path)
    (error,) = [one for one in caplog.records if one.levelno == logging.ERROR]
    assert str(database) in error.getMessage()
    assert str(good) in error.getMessage()
    (notice,) = damage(None)
    assert "is damaged" in notice.text
    assert str(good) in notice.text


def test_a_database_in_order_gives_no_notice(database, tmp_path):
    assert check_now(database, tmp_path).damage == ""
    assert list(damage(None)) == []


def test_a_check_reads_beside_a_writer_and_holds_it_up_at_no_time(database, tmp_path):
    with closing(opened(database)) as live:
        live.execute("BEGIN IMMEDIATE")
        add_rows(live, ["written meanwhile"])
        assert check_now(database, tmp_path).damage == ""
        live.execute("COMMIT")


def test_it_is_due_once_a_day_and_as_long_as_there_is_damage(database, tmp_path):
    now = dt.datetime.now(dt.UTC)
    assert is_due(tmp_path, now)
    check_now(database, tmp_path)
    assert not is_due(tmp_path, now + dt.timedelta(hours=23))
    assert is_due(tmp_path, now + dt.timedelta(hours=25))
    # After the clock was set back.
    assert is_due(tmp_path, now - dt.timedelta(days=2))
    spoil(database)
    check_now(database, tmp_path)
    assert is_due(tmp_path, now + dt.timedelta(minutes=1))


def test_a_server_checks_by_itself(database, tmp_path, monkeypatch):
    checked = threading.Event()
    monkeypatch.setattr(database_check, "AFTER_START_SECONDS", 0.0)
    monkeypatch.setattr(
        database_check, "replace_text", lambda path, text: checked.set()
    )
    with daily_check(build(read_settings({"Platform__DataPath": str(tmp_path)}))):
        assert checked.wait(30)


def test_a_check_that_is_stopped_finds_nothing(database, tmp_path, monkeypatch):
    monkeypatch.setattr(database_check, "_STEPS", 1)
    stop = threading.Event()
    stop.set()
    with pytest.raises(sqlite3.OperationalError, match="interrupted"):
        check_now(database, tmp_path, stop)
    assert last_check(tmp_path) is None
