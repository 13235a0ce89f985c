"""Table sources with a folder: which files are imported, where they go, and that nothing
is lost or imported twice."""

from __future__ import annotations

from catalogs.models import Item
from importer.models import ImportRun, TableSource
from importer.services import (
    update_source,
)
from platform_site.scheduling.execution import carry_out_job
from platform_site.scheduling.models import Job, JobExecution
from tests.catalogs.processors.folders import CONTENT, OTHER, run, summary
from tests.catalogs.rows import boss


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
    ending = carry_out_job(job)
    assert ending.status == JobExecution.Status.COMPLETED, ending.message
    assert ImportRun.objects.get().started_via == "job"
    update_source("watched", {"decimal": ","})
    assert Job.objects.count() == 1


def test_wrong_rows_are_written_to_correct_and_import_them_again(folder):
    folder.put("a.csv", CONTENT.replace(b"1,50", b"auf Anfrage"))
    assert summary(run()) == [("a.csv", 1, 1)]
    expected = ["a.csv", "a.csv.failed.csv", "a.csv.report.csv"]
    assert folder.names("failed") == expected
    text = folder.read("failed", "failed.csv").decode("utf-8-sig")
    header, row, rest = text.split("\r\n")
    assert header.endswith("Why it wasn't imported")
    assert ("auf Anfrage" in row, "is not a number" in row, rest) == (True, True, "")
    corrected = text.replace("auf Anfrage", '"2,50"', 1)
    # The mark of UTF-8 prevails over the encoding of the source.
    folder.put("b.csv", corrected.encode("utf-8-sig"))
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


def test_a_dry_run_moves_nothing(folder):
    folder.put("a.csv")
    assert summary(run(dryRun=True)) == [("a.csv", 2, 0)]
    assert (folder.names(), Item.objects.count()) == (["a.csv"], 0)


def test_an_old_look_counts_only_for_the_same_file(folder):
    folder.put("a.csv", CONTENT[:40], age=0)
    run()
    _let_pass(seconds=60)
    folder.put("a.csv", CONTENT, age=1)
    assert run() == {"files": [], "later": 1}
