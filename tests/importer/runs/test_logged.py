"""What the log says of runs: where each begins, and how it ended, however it was started."""

from __future__ import annotations

import logging
import re
import socket

import pytest
from django.utils import timezone

from importer.models import ImportRun
from importer.runs import history
from importer.runs.workers import RunJob, WorkerEngine, carry_out
from importer.services import ImportOptions, import_package, start_run, undo_run
from tests.builders import stream, units
from tests.importer.background import finish_runs

pytestmark = pytest.mark.django_db(transaction=True)
HOST = re.escape(socket.gethostname())


class Queue(WorkerEngine):
    """An engine whose jobs wait until somebody carries them out."""

    def __init__(self):
        super().__init__()
        self.jobs = []

    def defer(self, job):
        self.jobs.append(job)

    def deferred(self):
        return [job.run_id for job in self.jobs]


@pytest.fixture
def told(caplog):
    """Return the lines about runs, in their order."""
    caplog.set_level(logging.INFO, "platform.importer")

    def lines():
        mine = [one for one in caplog.records if one.name == "platform.importer"]
        caplog.clear()
        return [one for one in mine if "waits for its turn" not in one.getMessage()]

    return lines


def now(content, user, monkeypatch):
    return import_package(stream(content), ImportOptions(), user=user).run_id


def in_a_thread(content, user, monkeypatch):
    run_id = start_run(stream(content), user=user)
    finish_runs()
    return run_id


def by_a_worker(content, user, monkeypatch):
    queue = Queue()
    monkeypatch.setattr("importer.runs.background.engine", lambda: queue)
    run_id = start_run(stream(content), user=user, queue=True)
    carry_out(queue, RunJob(run_id))
    return run_id


@pytest.mark.parametrize("way", [now, in_a_thread, by_a_worker])
def test_a_run_is_logged_alike_where_it_begins_and_how_it_ended(
    way, admin, told, monkeypatch
):
    run_id = way(units("a", "b"), admin, monkeypatch)
    begin, end = told()
    name = ImportRun.objects.get(pk=run_id).package
    assert re.fullmatch(
        rf"Run {run_id} begins on {HOST}: import, started by {admin.username} \(\w+\)",
        begin.getMessage(),
    )
    assert re.fullmatch(
        rf"Run {run_id} ended: Completed on {HOST} after \d+\.\d s; {name}: Inserted 2",
        end.getMessage(),
    )
    for line in (begin, end):
        assert (line.levelname, line.run_id) == ("INFO", str(run_id))


def test_undo_dry_run_and_what_cannot_be_read_are_told_apart(admin, told):
    import_package(stream(units("a")), ImportOptions(dry_run=True), user=admin)
    begin, end = (line.getMessage() for line in told())
    assert ": dry run of an import, started" in begin
    assert end.endswith(": Inserted 1")
    done = import_package(stream(units("a")), ImportOptions(), user=admin)
    told()
    undo_run(done.run_id, user=admin)
    begin, end = (line.getMessage() for line in told())
    assert ": undo, started" in begin
    assert end.endswith(": Reverted 1")
    import_package(stream(b"no package"), ImportOptions(), user=admin)
    [*_, end] = (line.getMessage() for line in told())
    assert " ended: Failed on " in end
    assert end.endswith("; no package: no objects")


def test_a_command_tells_its_user_itself(admin, told):
    options = ImportOptions(started_via=ImportRun.StartedVia.COMMAND)
    import_package(stream(units("a")), options, user=admin)
    assert told() == []


def test_the_run_of_a_dead_process_is_named(admin, told):
    run = ImportRun.objects.create(
        package="Shop",
        status="Running",
        started_by=admin,
        started_at=timezone.now(),
        time_zone="UTC",
    )
    assert history.mark_interrupted() == 1
    [line] = told()
    assert f"Run {run.run_id} was interrupted" in line.getMessage()
    assert line.getMessage().endswith("; Shop")
    assert line.run_id == str(run.run_id)
