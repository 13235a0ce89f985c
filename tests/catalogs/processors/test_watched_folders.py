"""Table sources with a folder: which files are imported, where they go, and that nothing
is lost or imported twice."""

from __future__ import annotations

import os
import threading

import pytest
from django.utils import timezone

from catalogs.models import Item
from catalogs.processors import watched_folders
from importer.models import ImportRun, TableSource
from importer.services import (
    DescriptionRefused,
    ImportInProgress,
    create_source,
    database_lock,
    update_source,
)
from platform_site.changes.models import ChangeEvent
from platform_site.processing import services
from platform_site.processing.errors import InvalidStateError
from platform_site.scheduling.execution import carry_out
from platform_site.scheduling.models import Job, JobExecution
from tests.builders import make_row
from tests.catalogs.processors.test_table_sources import LIST, PRICES
from tests.catalogs.rows import boss

CONTENT = LIST.encode("cp1252")
OTHER = CONTENT.replace(b"1,50", b"1,60")


class Folder:
    """The folder of the source, whose files are written and looked at."""

    def __init__(self, path):
        self.path = path

    def put(self, name, content=CONTENT, *, age=600):
        """Write a file that was changed so many seconds ago."""
        self.path.mkdir(parents=True, exist_ok=True)
        file = self.path / name
        file.write_bytes(content)
        then = timezone.now().timestamp() - age
        os.utime(file, (then, then))
        return file

    def names(self, where="."):
        """Return the files of a folder, without the time in their names."""
        files = (file for file in (self.path / where).iterdir() if file.is_file())
        return sorted(file.name.rpartition("Z-")[2] for file in files)

    def read(self, where, ending):
        (file,) = (f for f in (self.path / where).iterdir() if f.name.endswith(ending))
        return file.read_bytes()


@pytest.fixture
def folder(db, settings, tmp_path):
    """Save a source that watches a folder, and return the folder."""
    settings.PLATFORM_INBOX_FOLDER = tmp_path / "inbox"
    make_row("UnitsOfMeasure", actor=boss(), code="pcs", name="pieces")
    origin = {"folder": "prices", "pattern": "*.csv", "user": boss().username}
    create_source({**PRICES, "name": "watched", "origin": origin})
    return Folder(tmp_path / "inbox" / "prices")


def run(**data):
    return services.execute("watched", data, user=boss()).result


def summary(result):
    return [(f["file"], f["inserted"], f["failed"]) for f in result["files"]]


def test_files_are_imported_oldest_first_and_put_away_with_their_reports(folder):
    folder.put("b.csv", CONTENT, age=900)
    folder.put("a.CSV", OTHER, age=300)
    folder.put("notes.txt", b"something else")
    result = run()
    assert [(f["file"], f["inserted"], f["updated"]) for f in result["files"]] == [
        ("b.csv", 2, 0),
        ("a.CSV", 0, 1),
    ]
    assert folder.names() == ["notes.txt"]
    reports = ["a.CSV", "a.CSV.report.csv", "b.csv", "b.csv.report.csv"]
    assert (folder.names("done"), folder.names("failed")) == (reports, [])
    assert b"Inserted" in folder.read("done", "b.csv.report.csv")
    assert run() == {"files": [], "later": 0}


def test_the_job_is_planned_with_the_source_and_runs_as_the_user(folder):
    job = Job.objects.get()
    assert (job.processor, job.interval_seconds) == ("watched", 60)
    assert job.run_as == boss()
    folder.put("a.csv")
    ending = carry_out(job)
    assert ending.status == JobExecution.Status.COMPLETED, ending.message
    assert ImportRun.objects.get().started_via == "job"
    update_source("watched", {"decimal": ","})
    assert Job.objects.count() == 1


def test_wrong_rows_are_written_to_correct_and_import_them_again(folder):
    folder.put("a.csv", CONTENT.replace(b"1,50", b"auf Anfrage"))
    assert summary(run()) == [("a.csv", 1, 1)]
    expected = ["a.csv", "a.csv.failed.csv", "a.csv.report.csv"]
    assert folder.names("failed") == expected
    text = folder.read("failed", "failed.csv").decode("cp1252")
    header, row, rest = text.split("\r\n")
    assert header.endswith("Why it failed")
    assert ("auf Anfrage" in row, "is not a number" in row, rest) == (True, True, "")
    corrected = text.replace("auf Anfrage", '"2,50"', 1)
    folder.put("b.csv", corrected.encode("cp1252"))
    assert summary(run()) == [("b.csv", 1, 0)]
    assert Item.objects.count() == 2


def test_a_file_that_is_being_written_waits(folder):
    file = folder.put("a.csv", CONTENT[:40], age=0)
    assert run() == {"files": [], "later": 1}
    file.write_bytes(CONTENT)
    assert run()["later"] == 1
    _let_pass(seconds=11)
    assert summary(run()) == [("a.csv", 2, 0)]


def _let_pass(seconds):
    """Let the last look be longer ago."""
    source = TableSource.objects.get()
    for seen in source.fetched["seen"].values():
        seen["at"] -= seconds
    TableSource.objects.update(fetched=source.fetched)


def test_a_ready_file_says_that_the_other_is_complete(folder):
    folder.put("a.csv", age=0)
    folder.put("a.csv.ready", b"", age=0)
    assert summary(run()) == [("a.csv", 2, 0)]
    assert folder.names() == []


def test_the_same_file_again_is_put_away_without_an_import(folder):
    folder.put("a.csv")
    run()
    folder.put("a.csv")
    (file,) = run()["files"]
    assert (file["runId"], "same as the file" in file["message"]) == (None, True)
    assert ImportRun.objects.count() == 1
    assert folder.names("done").count("a.csv") == 2


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

    class Died(BaseException):
        pass

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
        with pytest.raises(InvalidStateError, match="Another process"):
            run()
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


def test_a_dry_run_moves_nothing(folder):
    folder.put("a.csv")
    assert summary(run(dryRun=True)) == [("a.csv", 2, 0)]
    assert (folder.names(), Item.objects.count()) == (["a.csv"], 0)


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


def test_an_old_look_counts_only_for_the_same_file(folder):
    folder.put("a.csv", CONTENT[:40], age=0)
    run()
    _let_pass(seconds=60)
    folder.put("a.csv", CONTENT, age=1)
    assert run() == {"files": [], "later": 1}
