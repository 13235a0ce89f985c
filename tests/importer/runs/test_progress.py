"""The progress of a run: it changes with every object, is stored once a second, and has
a time left that follows the recent rate."""

from __future__ import annotations

import threading

import pytest

from importer import services
from importer.api import responses
from importer.models import ImportRun
from importer.pipeline.report import ReportBuilder
from importer.runs import history, running
from importer.runs.running import Running
from platform_site.records.importing import RecordTarget
from tests.builders import units
from tests.importer.admin_page.conftest import Visitor
from tests.importer.api.conftest import Caller
from tests.importer.background import LIMIT_SECONDS, finish_runs

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def held_at(monkeypatch):
    """Return a function that holds runs before a write with a given number."""
    reached, opened = threading.Event(), threading.Event()
    commit = RecordTarget.commit
    written = []

    def hold(number):
        def held(self, prepared, mark):
            if len(written) == number:
                reached.set()
                assert opened.wait(LIMIT_SECONDS)
            written.append(mark)
            return commit(self, prepared, mark)

        monkeypatch.setattr(RecordTarget, "commit", held)
        return reached

    yield hold
    opened.set()
    finish_runs()


@pytest.mark.usefixtures("stored_at_once")
def test_page_and_endpoint_count_within_a_window(start, held_at, admin):
    """A window of posted documents may take a minute."""
    reached = held_at(3)
    run_id = start(units("a", "b", "c", "d", package="garden"))
    assert reached.wait(LIMIT_SECONDS)
    answer = Caller(admin).get(f"runs/{run_id}").json()
    assert answer["progress"] == {"done": 3, "total": 4}
    assert (answer["counts"]["Inserted"], answer["report"]) == (3, None)
    visitor = Visitor(admin)
    for path, query in [("", {}), ("", {"run": run_id}), ("/progress", {})]:
        assert "3 of 4" in visitor.text(path, **query)


@pytest.mark.usefixtures("stored_at_once")
def test_progress_and_its_entries_are_stored_between_two_objects(start, held_at):
    reached = held_at(3)
    run_id = start(units("a", "b", "c", "d"))
    assert reached.wait(LIMIT_SECONDS)
    stored = ImportRun.objects.get(pk=run_id)
    assert (stored.done, stored.total, stored.counts["Inserted"]) == (3, 4, 3)
    told = list(services.report_entries(run_id))
    assert [entry.id for entry in told] == ["unit:a", "unit:b", "unit:c"]


def test_the_total_is_stored_as_soon_as_it_is_known(start, held_at):
    """A run killed within the first second still shows its total."""
    reached = held_at(0)
    run_id = start(units("a", "b"))
    assert reached.wait(LIMIT_SECONDS)
    assert ImportRun.objects.get(pk=run_id).total == 2


@pytest.mark.usefixtures("stored_at_once")
def test_progress_is_not_stored_repeatedly(run):
    report = run(units("a", "b", "c"))
    told = services.get_report(report.run_id)
    assert [entry.id for entry in told.items] == ["unit:a", "unit:b", "unit:c"]
    assert told.counts == report.counts


def test_the_running_page_is_titled_with_the_package(start, gate, admin):
    run_id = start(units("a", package="garden"))
    gate.wait_for_a_run()
    page = Visitor(admin).text(run=run_id)
    assert "<h1>Import of garden 1</h1>" in page
    assert "<title>Import of garden 1 |" in page


def test_a_page_opened_before_the_package_was_known_is_reloaded(start, gate, admin):
    run_id = start(units("a", package="garden"))
    gate.wait_for_a_run()
    visitor = Visitor(admin)
    answer = visitor.get("/progress", run=run_id, here=1, unnamed=1)
    assert answer["HX-Refresh"] == "true"
    assert "HX-Refresh" not in visitor.get("/progress", run=run_id, here=1)


def test_the_progress_of_a_dead_run_is_not_shown_as_running(run, admin):
    report = run(units("a"))
    ImportRun.objects.update(status="Running", finished_at=None)
    answer = Caller(admin).get(f"runs/{report.run_id}").json()
    assert answer["status"] == "Interrupted"
    assert answer["report"]["counts"]["Inserted"] == 1


def test_watching_a_dead_run_leads_to_its_report(run, admin):
    report = run(units("a"), dry_run=True)
    ImportRun.objects.update(status="Running", finished_at=None)
    visitor = Visitor(admin)
    answer = visitor.get("/progress", run=report.run_id, here=1)
    assert answer["HX-Refresh"] == "true"
    page = visitor.text(run=report.run_id)
    assert "The dry run was stopped before it finished." in page
    assert "the same package" in page
    assert "correct it" not in page


def test_a_dry_run_that_ends_while_it_is_read_is_shown_consistently(
    start, admin, monkeypatch
):
    asked, ended = threading.Event(), threading.Event()
    finish, answer_with = history.RunRecord.finish, responses.without_report

    def late(self, *args):
        assert asked.wait(LIMIT_SECONDS)
        finish(self, *args)
        ended.set()

    def slow(run):
        asked.set()
        assert ended.wait(LIMIT_SECONDS)
        return answer_with(run)

    monkeypatch.setattr(history.RunRecord, "finish", late)
    monkeypatch.setattr(responses, "without_report", slow)
    run_id = start(units("a"), dry_run=True)
    caller = Caller(admin)
    first = caller.get(f"runs/{run_id}").json()
    assert (first["status"], first["report"]) == ("Running", None)
    finish_runs()
    second = caller.get(f"runs/{run_id}").json()
    assert second["status"] == "Completed"
    assert len(second["report"]["items"]) == 1


class Clock:
    def __init__(self, monkeypatch):
        self.now = 0.0
        monkeypatch.setattr(running.time, "monotonic", lambda: self.now)

    def pass_seconds(self, going, seconds, objects):
        """Process a number of objects in each second."""
        for _ in range(seconds):
            self.now += 1
            going.builder.done += objects
            going.tick()


def test_the_rate_is_that_of_the_last_seconds_and_of_this_stage(monkeypatch):
    clock = Clock(monkeypatch)
    going = Running(ReportBuilder())
    going.checked(50_000)
    clock.now = 2.0
    assert going.rate() == 25_000
    assert going.done == 50_000
    going.begin(10_000)
    assert (going.done, going.rate()) == (0, None)
    clock.pass_seconds(going, 30, 10)
    assert going.rate() == pytest.approx(10)
    clock.pass_seconds(going, 30, 100)
    assert going.rate() == pytest.approx(100)


def test_many_objects_per_second_give_few_samples(monkeypatch):
    clock = Clock(monkeypatch)
    going = Running(ReportBuilder())
    going.begin(10)
    assert not going.tick()
    clock.pass_seconds(going, 100, 5)
    assert len(going._samples) <= 22
