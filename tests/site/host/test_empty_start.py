"""A start that finds no database, or a damaged one: what it does, and what it says."""

from __future__ import annotations

import logging
import sqlite3

import pytest

from platform_site.notices import NoticeSeverity
from platform_site.settings.configuration import build
from platform_site.settings.env import read_settings
from platform_site.settings.errors import StartRefusedError
from platform_site.site.host.archive_folder import ArchiveState, write_state
from platform_site.site.host.empty_start import (
    prepare_database_file,
    record_of_empty_start,
)
from platform_site.site.host.maintenance_commands import restore
from platform_site.site.overview.host import empty_start
from tests.site.host.sqlite_files import leave_a_log, make_database, rows_of

MUST_EXIST = {"Platform__Database__MustExist": "true"}


class Folder:
    """A data folder, and the start's first look at it."""

    def __init__(self, path):
        self.path = path
        self.database = path / "db" / "platform.db"

    def look(self, **environ):
        settings = read_settings({"Platform__DataPath": str(self.path), **environ})
        prepare_database_file(build(settings))

    def key(self):
        (self.path / "keys").mkdir()
        key = self.path / "keys" / "jwt-signing.key"
        key.write_text("k" * 60)
        return key

    def blob(self):
        blob = self.path / "blobs" / "ab" / "abcd"
        blob.parent.mkdir(parents=True)
        blob.write_text("bytes")
        return self.path / "blobs"

    def backup(self, day=1):
        name = f"platform-2026010{day}T000000000000Z-by-hand.db"
        return make_database(self.path / "backups" / name, "mine")

    def archive(self, day, verified_at="2026-01-09T00:00:00+00:00", place="backups"):
        folder = self.path / place
        folder.mkdir(exist_ok=True)
        archive = folder / f"platform-2026010{day}T000000000000Z-all.tar.gz"
        archive.write_bytes(b"not looked at")
        write_state(archive, ArchiveState(verified_at=verified_at))
        return archive

    def has_tables(self):
        with sqlite3.connect(self.database) as database:
            return bool(database.execute("SELECT * FROM sqlite_master").fetchall())


@pytest.fixture
def folder(tmp_path):
    return Folder(tmp_path)


def test_a_first_start_creates_the_database_without_a_word(folder, caplog):
    """HOST-096."""
    folder.look()
    assert not folder.has_tables()
    # A process killed from here on leaves no file that looks damaged.
    assert folder.database.stat().st_size > 0
    folder.look()
    assert caplog.text == ""
    assert not record_of_empty_start(folder.path).exists()


@pytest.mark.parametrize("what", ["key", "blob", "backup"])
def test_an_empty_start_beside_an_installation_gives_a_warning(
    folder, what, caplog, settings
):
    """HOST-096: it is created; the log and the start page name what lies beside it."""
    beside = str(getattr(folder, what)())
    beside = beside if what != "backup" else str(folder.path / "backups")
    with caplog.at_level(logging.WARNING, logger="platform"):
        folder.look()
    assert not folder.has_tables()
    assert f"Files of an earlier installation exist: {beside}." in caplog.text
    settings.PLATFORM_DATA_FOLDER = folder.path
    (notice,) = empty_start(None)
    assert notice.severity is NoticeSeverity.PROBLEM
    assert f"files of an earlier installation exist: {beside}." in notice.text
    # Until somebody says that it is meant.
    folder.look()
    assert list(empty_start(None))
    record_of_empty_start(folder.path).unlink()
    assert not list(empty_start(None))


def test_the_newest_backup_in_order_is_named_and_ends_the_notice(
    folder, caplog, settings
):
    folder.backup(day=1)
    good = folder.backup(day=2)
    folder.backup(day=3).write_bytes(b"SQLite format 3\0" + b"\xff" * 8000)
    folder.look()
    assert f"newest intact backup is {good}" in caplog.text
    settings.PLATFORM_DATA_FOLDER = folder.path
    (notice,) = empty_start(None)
    assert str(good) in notice.text
    restore(folder.database, folder.path, good)
    assert rows_of(folder.database) == ["mine"]
    assert not list(empty_start(None))


@pytest.mark.parametrize("place", ["backups", "elsewhere"])
def test_the_newest_archive_is_named_if_no_copy_is_newer(folder, place):
    older, newest = folder.backup(day=1), folder.archive(day=3, place=place)
    folder.archive(day=4, verified_at="", place=place)
    where = {"Backup__Folder": place}
    with pytest.raises(StartRefusedError) as refused:
        folder.look(**MUST_EXIST, **where)
    assert f"The newest intact backup is {newest};" in str(refused.value)
    newer = folder.backup(day=5)
    with pytest.raises(StartRefusedError) as refused:
        folder.look(**MUST_EXIST, **where)
    assert f"The newest intact backup is {newer};" in str(refused.value)
    assert older.exists()


def test_an_archive_alone_is_a_sign_of_an_earlier_installation(folder, caplog):
    archive = folder.archive(day=2, place="elsewhere")
    folder.look(Backup__Folder="elsewhere")
    assert str(archive.parent) in caplog.text
    assert f"The newest intact backup is {archive};" in caplog.text


def test_where_a_database_must_exist_a_missing_one_is_refused(folder):
    good = folder.backup()
    with pytest.raises(StartRefusedError) as refused:
        folder.look(**MUST_EXIST)
    sentence = str(refused.value)
    assert str(folder.database) in sentence
    assert str(good) in sentence
    assert "Platform:Database:MustExist" in sentence
    assert not folder.database.exists()
    assert not record_of_empty_start(folder.path).exists()
    make_database(folder.database, "here")
    folder.look(**MUST_EXIST)


@pytest.mark.parametrize("content", [b"", b"no database", b"\0" * 4096])
def test_a_file_that_is_no_database_is_refused_and_left_alone(folder, content):
    good = folder.backup()
    folder.database.parent.mkdir()
    folder.database.write_bytes(content)
    with pytest.raises(StartRefusedError, match="is damaged") as refused:
        folder.look()
    assert str(good) in str(refused.value)
    assert folder.database.read_bytes() == content


def test_the_log_of_a_lost_database_is_kept_and_not_played_into_the_new_one(folder):
    make_database(folder.database, "lost")
    leave_a_log(folder.database, "INSERT INTO note VALUES (?)", "in the log")
    log = folder.database.with_name("platform.db-wal")
    lost = log.read_bytes()
    folder.database.unlink()
    folder.look()
    assert not folder.has_tables()
    kept = [path.read_bytes() for path in folder.path.glob("backups/*damaged.db-wal")]
    assert kept == [lost]
