"""Runs whose database fails because the disk is full or the connection is lost: their
end and the true reason are visible at once and stored later, and repeating the run
continues it (OPEN-44, IMP-282)."""

from __future__ import annotations

import errno
import sqlite3
from contextlib import contextmanager
from unittest import mock

import pytest
from django.core.management import call_command
from django.db import OperationalError, connection

from importer import services
from importer.models import ImportRun
from importer.runs import history, record, unstored
from importer.runs.failures import is_out_of_space, reason_of
from importer.services import import_lock
from platform_site.records.importing import RecordTarget
from platform_site.site.overview import imports
from tests.builders import model_of, units
from tests.importer.admin_page.conftest import Visitor
from tests.importer.api.conftest import Caller
from tests.importer.background import finish_runs

pytestmark = pytest.mark.django_db(transaction=True)
REASON = "the disk is full"


def full():
    """Return Django's error for a full disk with SQLite."""
    cause = sqlite3.OperationalError("database or disk is full")
    cause.sqlite_errorcode = sqlite3.SQLITE_FULL
    trouble = OperationalError(str(cause))
    trouble.__cause__ = cause
    return trouble


@pytest.fixture(autouse=True)
def no_thread(monkeypatch):
    """Prevent background retries, so that tests decide when an end is stored."""
    monkeypatch.setattr(unstored, "_keep_storing", lambda: None)
    yield
    unstored._ends.clear()


@contextmanager
def full_after(writes):
    """Let a number of objects be written and nothing afterwards."""
    commit, write_end, insert = (
        RecordTarget.commit,
        record.store_end,
        record.store_chunk,
    )
    left = [writes]

    def limited(self, prepared, mark):
        if not left[0]:
            raise full()
        left[0] -= 1
        return commit(self, prepared, mark)

    def unless_full(function):
        def called(*args):
            if not left[0]:
                raise full()
            return function(*args)

        return called

    with (
        mock.patch.object(RecordTarget, "commit", limited),
        mock.patch.object(record, "store_end", unless_full(write_end)),
        mock.patch.object(record, "store_chunk", unless_full(insert)),
    ):
        yield


def test_a_full_disk_leaves_one_line_in_the_log_and_no_traceback(run, caplog):
    with full_after(1):
        run(units("a", "b"))
    assert "ended: the disk is full" in caplog.text
    assert "ended unexpectedly" not in caplog.text


def test_the_end_is_visible_at_once_and_stored_when_there_is_space(start, admin, run):
    with full_after(2):
        run_id = start(units("a", "b", "c", package="garden"))
        finish_runs()
        assert ImportRun.objects.get(pk=run_id).status == "Running"
        told = Caller(admin).get(f"runs/{run_id}").json()
        assert (told["status"], told["hasErrors"]) == ("Failed", True)
        assert REASON in told["report"]["diagnostics"][0]["message"]
        assert told["counts"]["Inserted"] == len(told["report"]["items"]) == 2
        (listed,) = Caller(admin).get("runs").json()
        assert (listed["runId"], listed["status"]) == (str(run_id), "Failed")
        visitor = Visitor(admin)
        assert REASON[1:] in visitor.text(run=run_id)
        assert "imp-Failed" in visitor.text()
        (notice,) = imports.runs(admin)
        assert "The import of garden by admin" in notice.text
        unstored.store_all()
        assert unstored.find(run_id) is not None
        assert services.running_run() is None
        with import_lock("somebody", "a look"):
            pass  # it is free
    unstored.store_all()
    assert unstored.find(run_id) is None
    stored = ImportRun.objects.get(pk=run_id)
    assert (stored.status, stored.done, stored.total) == ("Failed", 2, 3)
    assert REASON in stored.diagnostics[0]["message"]
    assert len(services.get_report(run_id).items) == 2
    (notice,) = imports.runs(admin)
    again = run(units("a", "b", "c", package="garden"))
    assert (again.counts["Unchanged"], again.counts["Inserted"]) == (2, 1)


def test_the_next_run_stores_the_end_of_the_previous_one(run):
    with full_after(1):
        report = run(units("a", "b"))
    assert report.status == "Failed"
    again = run(units("a", "b"))
    assert (again.counts["Unchanged"], again.counts["Inserted"]) == (1, 1)
    stored = services.get_run(report.run_id)
    assert (stored.status, stored.held) == ("Failed", None)
    assert REASON in stored.diagnostics[0]["message"]


def test_after_a_restart_the_run_is_interrupted_with_all_written_rows(run):
    with full_after(2):
        report = run(units("a", "b", "c"))
    unstored._ends.clear()
    assert services.mark_interrupted_runs() == 1
    stored = services.get_run(report.run_id)
    assert (stored.status, stored.counts["Inserted"]) == ("Interrupted", 2)
    assert run(units("a", "b", "c")).counts["Unchanged"] == 2


def test_the_process_with_the_true_end_corrects_another(run):
    with full_after(2):
        report = run(units("a", "b", "c"))
    ends = dict(unstored._ends)
    unstored._ends.clear()
    services.mark_interrupted_runs()
    unstored._ends.update(ends)
    unstored.store_all()
    stored = services.get_run(report.run_id)
    assert stored.status == "Failed"
    assert [e.step for e in services.get_report(report.run_id).items] == [0, 0]


def test_a_dead_run_is_shown_as_interrupted_even_on_a_full_disk(run, admin):
    report = run(units("a"))
    ImportRun.objects.update(status="Running", finished_at=None)
    with full_after(0):
        told = Caller(admin).get(f"runs/{report.run_id}").json()
        assert told["status"] == "Interrupted"
        assert Visitor(admin).get().status_code == 200
    unstored.store_all()
    assert ImportRun.objects.get(pk=report.run_id).status == "Interrupted"


def test_a_dry_run_without_space_for_its_report_says_so(run):
    package = units(*(f"u{number}" for number in range(1001)))
    with full_after(0):
        report = run(package, dry_run=True)
        assert services.get_run(report.run_id).status == "Failed"
    assert REASON in report.diagnostics[0].message
    unstored.store_all()
    assert services.get_report(report.run_id).status == "Failed"


@pytest.mark.parametrize("dry_run", [False, True])
def test_a_run_without_any_space_does_not_start(start, admin, dry_run):
    with mock.patch.object(history.RunRecord, "_begin", side_effect=full()):
        answer = Caller(admin).upload(units("a"), dryRun=dry_run)
    assert answer.status_code == 507
    assert "disk of the server is full" in answer.json()["detail"]


def test_the_command_reports_a_full_disk_and_exits_with_1(admin, tmp_path, capsys):
    file = units("a", "b").as_file(tmp_path / "a.json")
    with full_after(1), pytest.raises(SystemExit) as end:
        call_command("import_package", file, verbosity=0)
    assert end.value.code == 1
    assert REASON in capsys.readouterr().out


@pytest.mark.parametrize("place", ["_begin", "name"])
def test_the_command_reports_a_full_disk_before_the_first_object(
    admin, tmp_path, capsys, place
):
    file = units("a").as_file(tmp_path / "a.json")
    with (
        mock.patch.object(history.RunRecord, place, side_effect=full()),
        pytest.raises((SystemExit, Exception)) as end,
    ):
        call_command("import_package", file, verbosity=0)
    assert REASON in f"{end.value}{capsys.readouterr().out}"


def test_a_full_disk_is_recognised_by_the_kind_of_error():
    disk = type("DiskFull", (Exception,), {"sqlstate": "53100"})()
    postgres = OperationalError("could not extend file")
    postgres.__cause__ = disk
    for trouble in (full(), postgres, OSError(errno.ENOSPC, "No space left")):
        assert is_out_of_space(trouble)
        assert REASON in reason_of(trouble)
    assert not is_out_of_space(OperationalError("locked"))
    assert reason_of(OperationalError("locked")) == "the database failed: locked"


@pytest.mark.skipif(
    connection.vendor != "postgresql", reason="only a server can close a connection"
)
def test_a_connection_that_is_closed_in_the_middle_ends_the_run_with_the_reason(start):
    commit, left = RecordTarget.commit, [2]

    def cut(self, prepared, mark):
        left[0] -= 1
        if left[0] == 0:
            with connection.cursor() as cursor:
                cursor.execute("SELECT pg_backend_pid()")
                (pid,) = cursor.fetchone()
            other = connection.copy()
            with other.cursor() as cursor:
                cursor.execute("SELECT pg_terminate_backend(%s)", [pid])
            other.close()
        return commit(self, prepared, mark)

    with mock.patch.object(RecordTarget, "commit", cut):
        run_id = start(units("a", "b", "c"))
        finish_runs()
    ended = services.get_run(run_id)
    assert (ended.status, ended.counts["Inserted"]) == ("Failed", 1)
    assert "the database failed: terminating" in ended.diagnostics[0]["message"]
    again = start(units("a", "b", "c"))
    finish_runs()
    assert services.get_run(again).counts["Unchanged"] == 1
    assert model_of("UnitsOfMeasure").objects.count() == 3
