"""Cancelled runs: between two objects, before the first, after the last, twice, or after
their end."""

from __future__ import annotations

from uuid import UUID

import pytest

from importer import services
from importer.models import ImportRun
from importer.runs import history
from importer.services import NotRunning, UnknownRun
from tests.builders import model_of, units
from tests.importer.background import finish_runs

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.mark.usefixtures("stored_at_once")
def test_a_cancelled_run_stops_between_two_objects(start, gate):
    run_id = start(units("a", "b", "c"))
    gate.wait_for_a_run()
    services.cancel_run(run_id)
    gate.open()
    assert services.get_run(run_id).status == "Interrupted"
    report = services.get_report(run_id)
    assert [result.id for result in report.items] == ["unit:a"]
    assert report.diagnostics[-1].message == "2 objects were not reached."
    again = start(units("a", "b", "c"))
    finish_runs()
    assert services.get_run(again).counts["Unchanged"] == 1


def test_a_run_cancelled_before_its_first_object_writes_nothing(start, monkeypatch):
    begin = history.RunRecord._begin

    def cancelled_twice(self):
        begin(self)
        services.cancel_run(self._run.run_id)
        services.cancel_run(self._run.run_id)

    with monkeypatch.context() as early:
        early.setattr(history.RunRecord, "_begin", cancelled_twice)
        run_id = start(units("a", "b"))
        finish_runs()
    stored = services.get_run(run_id)
    assert (stored.status, stored.done, stored.total) == ("Interrupted", 0, 2)
    assert not model_of("UnitsOfMeasure").objects.exists()
    again = start(units("a", "b"))
    finish_runs()
    assert services.get_run(again).counts["Inserted"] == 2


def test_a_run_cancelled_after_its_last_object_completes(start, monkeypatch):
    finish = history.RunRecord.finish

    def cancelled(self, *args):
        services.cancel_run(self._run.run_id)
        finish(self, *args)

    monkeypatch.setattr(history.RunRecord, "finish", cancelled)
    run_id = start(units("a"))
    finish_runs()
    stored = services.get_run(run_id)
    assert (stored.status, stored.counts["Inserted"]) == ("Completed", 1)
    with pytest.raises(NotRunning):
        services.cancel_run(run_id)


def test_a_run_that_is_not_running_cannot_be_cancelled(start, run):
    ended = run(units("a")).run_id
    with pytest.raises(NotRunning, match="has already ended"):
        services.cancel_run(ended)
    with pytest.raises(UnknownRun):
        services.cancel_run(UUID(int=0))


def test_the_run_of_a_dead_process_cannot_be_cancelled(run):
    ended = run(units("a")).run_id
    ImportRun.objects.update(status="Running")
    with pytest.raises(NotRunning, match="has already ended"):
        services.cancel_run(ended)
    assert services.get_run(ended).status == "Interrupted"


@pytest.mark.usefixtures("stored_at_once")
def test_a_run_in_the_foreground_can_be_cancelled_too(run):
    seen = []

    def look(stage, done, total):
        run_id = ImportRun.objects.get().run_id
        services.cancel_run(run_id)
        seen.append(run_id)

    report = run(units("a"), progress=look)
    assert report.status == "Interrupted"
    assert report.run_id in seen
