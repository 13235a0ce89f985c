"""Watched folders in trouble: nothing is lost, nothing is imported twice, and only folders
of the operator are read."""

from __future__ import annotations

import os
import threading
from contextlib import suppress
from pathlib import Path

import pytest

from catalogs.models import Item
from catalogs.processors import inbox, watched_folders
from importer.services import (
    DescriptionRefused,
    ImportInProgress,
    create_source,
    database_lock,
)
from platform_site.changes.models import ChangeEvent
from platform_site.processing.errors import InvalidStateError
from tests.catalogs.processors.folders import CONTENT, OTHER, run, summary
from tests.catalogs.processors.test_table_sources import PRICES
from tests.catalogs.rows import boss


def test_what_is_no_table_fails_alone_with_its_reason(folder, settings):
    folder.put("a.csv", b"<html>sign in</html>", age=900)
    folder.put("b.csv", age=600)
    settings.IMPORTER = {**settings.IMPORTER, "MAX_PACKAGE_SIZE_BYTES": len(CONTENT)}
    huge = folder.put("c.csv", b"")
    os.truncate(huge, 2 * 1024**3)
    os.utime(huge, (0, 0))
    with pytest.raises(InvalidStateError) as refusal:
        run()
    said = [problem.message for problem in refusal.value.problems]
    assert ["c.csv: the file has more than" in said[0], "a.csv" in said[1]] == [
        True
    ] * 2
    failed = ["a.csv", "a.csv.report.csv", "c.csv", "c.csv.report.csv"]
    assert folder.names("failed") == failed
    assert folder.names("done") == ["b.csv", "b.csv.report.csv"]
    assert b"neither CSV nor XLSX" in folder.read("failed", "a.csv.report.csv")
    huge.unlink(missing_ok=True)
    for file in (folder.path / "failed").iterdir():
        file.unlink()


def test_links_and_folders_are_no_files(folder, tmp_path):
    secret = tmp_path / "secret"
    secret.write_bytes(CONTENT)
    folder.put("x.txt")
    (folder.path / "a.csv").symlink_to(secret)
    (folder.path / "b.csv").mkdir()
    assert run() == {"files": [], "later": 0}
    assert secret.exists()


def test_a_file_that_vanishes_or_cannot_be_read_stops_nothing(folder, monkeypatch):
    folder.put("a.csv", age=900)
    folder.put("b.csv", age=800)
    folder.put("c.csv", OTHER, age=700)
    opened = watched_folders.WaitingFile.opened

    def troubled(file):
        if file.name == "a.csv":
            file.path.unlink()
        if file.name == "b.csv":
            raise PermissionError(13, "Permission denied")
        return opened(file)

    monkeypatch.setattr(watched_folders.WaitingFile, "opened", troubled)
    with pytest.raises(InvalidStateError, match=r"b\.csv: Permission denied"):
        run()
    assert (folder.names(), Item.objects.count()) == (["b.csv"], 2)
    monkeypatch.undo()
    assert summary(run()) == [("b.csv", 0, 0)]


def test_a_server_that_dies_before_the_file_is_moved_imports_nothing_twice(
    folder, monkeypatch
):
    folder.put("a.csv")

    def die(*args):
        raise Died

    monkeypatch.setattr(watched_folders.Inbox, "put_away", die)
    with pytest.raises(Died):
        run()
    events = ChangeEvent.objects.count()
    monkeypatch.undo()
    (file,) = run()["files"]
    assert (file["inserted"], file["unchanged"]) == (0, 2)
    assert (ChangeEvent.objects.count(), folder.names()) == (events, [])


class Died(BaseException):
    """The end of a process, which no exception handler of the product sees."""


@pytest.mark.parametrize(
    ("content", "where", "reports"),
    [
        (CONTENT, "done", [".report.csv"]),
        (CONTENT.replace(b"1,50", b"x"), "failed", [".failed.csv", ".report.csv"]),
        (b"<html>", "failed", [".report.csv"]),
    ],
)
def test_a_file_lies_beside_its_reports_whenever_the_server_dies(
    folder, monkeypatch, content, where, reports
):
    """It dies before each step that moves something; the file is put away last."""
    rename, left = Path.rename, [0]

    def dying(path, target):
        if not left[0]:
            raise Died
        left[0] -= 1
        return rename(path, target)

    monkeypatch.setattr(Path, "rename", dying)
    for steps in range(len(reports) + 1):
        folder.put("a.csv", content)
        folder.put("a.csv.ready", b"")
        left[0] = steps
        with pytest.raises(Died):
            run()
        assert "a.csv" in folder.names()
        assert "a.csv" not in folder.names(where)
    monkeypatch.undo()
    with suppress(InvalidStateError):
        run()
    assert folder.names() == []
    assert folder.names(where) == ["a.csv", *(f"a.csv{one}" for one in reports)]
    assert [one for one in (folder.path / where).iterdir() if ".part" in one.name] == []


def test_a_disk_without_room_for_the_report_keeps_the_file(folder, monkeypatch):
    folder.put("a.csv", b"<html>")
    folder.put("b.csv", age=500)

    def full(place, pieces):
        if "a.csv" in place.name:
            raise OSError(28, "No space left on device")
        write(place, pieces)

    write = inbox._write
    monkeypatch.setattr(inbox, "_write", full)
    with pytest.raises(InvalidStateError, match=r"a\.csv: No space left"):
        run()
    assert (folder.names(), folder.names("failed")) == (["a.csv"], [])
    assert "b.csv" in folder.names("done")


@pytest.mark.parametrize("more", [OTHER, b"3;Zange;Stk;2,00\n"])
def test_what_is_written_during_an_import_is_not_put_away_with_it(
    folder, monkeypatch, more
):
    """Another file of the same name comes, or somebody writes the rest of the file."""
    file = folder.put("a.csv")
    load = watched_folders.FolderTables.load

    def interrupted(*args):
        report = load(*args)
        if more is OTHER:
            file.unlink()
        with file.open("ab") as out:
            out.write(more)
        return report

    monkeypatch.setattr(watched_folders.FolderTables, "load", interrupted)
    assert summary(run()) == [("a.csv", 2, 0)]
    assert (folder.names(), folder.names("done")) == (["a.csv"], [])
    monkeypatch.undo()
    os.utime(file, (0, 0))
    (found,) = run()["files"]
    assert found["inserted"] + found["updated"] == 1
    assert (folder.names(), folder.names("done")[0]) == ([], "a.csv")


def test_two_processes_never_import_from_folders_together(folder, settings):
    path = settings.PLATFORM_DATA_FOLDER.joinpath(*watched_folders._LOCK_FILE)
    folder.put("a.csv")
    held, done = threading.Event(), threading.Event()

    def hold():
        with database_lock(watched_folders._LOCK_KEY, path) as lock:
            assert lock.take()
            held.set()
            done.wait(60)

    other = threading.Thread(target=hold)
    other.start()
    held.wait(60)
    try:
        # A job that fails would notify its owners, though nothing is wrong.
        assert run() == {"files": [], "later": 1}
        assert folder.names() == ["a.csv"]
    finally:
        done.set()
        other.join()
    assert summary(run()) == [("a.csv", 2, 0)]


def test_another_import_lets_the_files_wait(folder, monkeypatch):
    folder.put("a.csv")

    def busy(*args):
        raise ImportInProgress(None)

    monkeypatch.setattr(watched_folders.FolderTables, "load", busy)
    assert run() == {"files": [], "later": 1}
    monkeypatch.undo()
    assert summary(run()) == [("a.csv", 2, 0)]


def test_a_folder_that_cannot_be_used_is_said(folder, settings, tmp_path):
    (tmp_path / "file").write_text("")
    settings.PLATFORM_INBOX_FOLDER = tmp_path / "file"
    with pytest.raises(InvalidStateError, match="Files can't be moved"):
        run()


@pytest.mark.parametrize(
    ("changed", "place"),
    [
        ({"folder": "/etc"}, "origin.folder"),
        ({"folder": "../keys"}, "origin.folder"),
        ({"folder": ".."}, "origin.folder"),
        ({"folder": "a/./../../b"}, "origin.folder"),
        ({"folder": "c:\\x"}, "origin.folder"),
        ({"pattern": "../*"}, "origin.pattern"),
        ({"user": "nobody at all"}, "origin.user"),
    ],
)
def test_only_folders_inside_the_folder_of_the_operator_are_watched(
    folder, changed, place
):
    origin = {"folder": "a", "pattern": "*", "user": boss().username, **changed}
    with pytest.raises(DescriptionRefused) as refusal:
        create_source({**PRICES, "name": "another", "origin": origin})
    assert list(refusal.value.errors) == [place]
