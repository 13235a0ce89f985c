"""Copies of a SQLite database: what is in them, and how many are kept."""

from __future__ import annotations

import logging
import re
import shutil
import sqlite3
import stat
import threading
from collections import namedtuple
from contextlib import closing

import pytest

from platform_site.site.host.backups import back_up_before, migration_backups, save_copy
from platform_site.site.host.sqlite_file import (
    DatabaseFileError,
    check_database,
    copy_database,
    replace_database,
    sidecars,
)
from tests.site.host.sqlite_files import (
    add_rows,
    leave_a_log,
    make_database,
    opened,
    rows_of,
)

MIGRATION = "catalogs.0002_more"


@pytest.fixture
def database(tmp_path):
    return make_database(tmp_path / "db" / "platform.db", "first")


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "backups"


def test_a_copy_holds_what_lies_only_in_the_log(database, folder):
    """HOST-099."""
    with closing(opened(database)) as live:
        add_rows(live, ["only in the log"])
        assert sidecars(database)[0].stat().st_size > 0
        copy = save_copy(database, folder, "manual")
    assert rows_of(copy) == ["first", "only in the log"]


def test_a_copy_is_one_private_file(database, folder):
    with closing(opened(database)):
        copy = save_copy(database, folder, "manual")
    assert stat.S_IMODE(copy.stat().st_mode) == 0o600
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    rows_of(copy)
    assert list(folder.iterdir()) == [copy]


def test_the_name_says_when_and_before_what_and_is_logged(database, folder, caplog):
    """HOST-100."""
    with caplog.at_level(logging.INFO, logger="platform"):
        copy = back_up_before(database, folder, MIGRATION, keep=5)
    pattern = r"platform-\d{8}T\d{12}Z-before-catalogs\.0002_more\.db"
    assert re.fullmatch(pattern, copy.name)
    assert str(copy) in caplog.text


def test_the_newest_copies_are_kept_and_no_other_kind_is_pruned(database, folder):
    """HOST-103, OPEN-107."""
    manual = save_copy(database, folder, "manual")
    reset = save_copy(database, folder, "before-reset")
    for number in range(7):
        with closing(opened(database)) as live:
            add_rows(live, [f"change {number}"])
        newest = back_up_before(database, folder, MIGRATION, keep=5)
    kept = migration_backups(folder)
    assert len(kept) == 5
    assert kept[-1] == newest
    assert rows_of(kept[0])[-1] == "change 2"
    assert manual.exists()
    assert reset.exists()


def test_a_start_that_fails_again_and_again_does_not_push_out_the_good_copy(
    database, folder
):
    good = back_up_before(database, folder, MIGRATION, keep=2)
    for _ in range(12):
        assert back_up_before(database, folder, MIGRATION, keep=2) == good
    assert list(folder.iterdir()) == [good]
    assert rows_of(good) == ["first"]


def test_a_copy_left_unfinished_by_a_crash_is_removed(database, folder):
    folder.mkdir()
    (folder / ".platform-20260101T000000000000Z-by-hand.db.tmp").write_text("half")
    copy = save_copy(database, folder, "manual")
    assert list(folder.iterdir()) == [copy]


def test_without_room_there_is_a_sentence_and_no_file(database, folder, monkeypatch):
    usage = namedtuple("usage", "total used free")
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage(9, 9, 0))
    with pytest.raises(DatabaseFileError, match="MiB are free"):
        save_copy(database, folder, "manual")
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize(
    "content", [b"no database at all" * 200, b"", b"SQLite format 3\0" + b"x" * 4080]
)
def test_a_file_that_is_no_database_is_refused(tmp_path, content):
    file = tmp_path / "some.db"
    file.write_bytes(content)
    with pytest.raises(DatabaseFileError):
        check_database(file)


def test_a_damaged_database_gives_no_copy(database, folder):
    with closing(sqlite3.connect(database)) as live:
        live.execute("PRAGMA journal_mode = DELETE")
        live.executemany("INSERT INTO note VALUES (?)", [("x" * 500,)] * 200)
        live.commit()
    with database.open("r+b") as file:
        file.seek(4096 * 3)
        file.write(b"\xff" * 4096 * 4)
    with pytest.raises(DatabaseFileError):
        save_copy(database, folder, "manual")
    assert list(folder.iterdir()) == []


def test_a_copy_taken_while_others_write_is_consistent(database, folder):
    """Each transaction writes two rows; no copy may hold one without the other.

    HOST-098.
    """
    ended = threading.Event()

    def write():
        with closing(opened(database)) as live:
            while not ended.is_set():
                live.execute("BEGIN IMMEDIATE")
                add_rows(live, ["left"])
                add_rows(live, ["right"])
                live.execute("COMMIT")

    writer = threading.Thread(target=write)
    writer.start()
    try:
        copies = [save_copy(database, folder, "manual") for _ in range(5)]
    finally:
        ended.set()
        writer.join()
    for copy in copies:
        rows = rows_of(copy)
        assert rows.count("left") == rows.count("right")


def test_a_replaced_database_takes_nothing_from_the_old_log(database, tmp_path):
    other = make_database(tmp_path / "other.db", "restored")
    leave_a_log(database, "INSERT INTO note VALUES (?)", "in the old log")
    replace_database(database, other)
    assert rows_of(database) == ["restored"]
    assert rows_of(other) == ["restored"]


def test_a_database_in_use_is_not_replaced(database, tmp_path, monkeypatch):
    monkeypatch.setattr("platform_site.site.host.sqlite_file._BUSY_SECONDS", 0.1)
    other = make_database(tmp_path / "other.db", "restored")
    with closing(opened(database)) as live:
        live.execute("SELECT * FROM note").fetchall()
        with pytest.raises(sqlite3.Error):
            replace_database(database, other)
        add_rows(live, ["still mine"])
    assert rows_of(database) == ["first", "still mine"]


def test_the_copy_has_its_name_only_when_it_is_complete(database, folder, monkeypatch):
    folder.mkdir()

    def fail(_path):
        assert not (folder / "copy.db").exists()
        raise OSError("the disk is gone")

    monkeypatch.setattr("platform_site.site.host.sqlite_file.sync_file", fail)
    with pytest.raises(DatabaseFileError, match="the disk is gone"):
        copy_database(database, folder / "copy.db")
    assert list(folder.iterdir()) == []
