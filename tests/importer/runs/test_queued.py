"""Runs that wait for their turn: their order, their end, and what outlives a process."""

from __future__ import annotations

import threading
from datetime import timedelta
from uuid import uuid4

import pytest
from django.utils import timezone

from importer import services
from importer.models import ImportRun, PackagePiece, QueuedRun
from importer.runs import (
    background,
    dry_runs,
    execution,
    history,
    kept_packages,
    queueing,
    running,
)
from importer.runs.background import QueueThread, ThreadEngine
from importer.services import EngineStopped, ImportInProgress, ImportOptions, RunExists
from platform_site.accounts.models import User
from tests.builders import model_of, stream, units
from tests.importer.admin_page.conftest import Visitor
from tests.importer.background import LIMIT_SECONDS, finish_queued_runs, finish_runs

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def queue(admin):
    """Return a function that queues a package."""

    def queue_it(package, *, user=None, **options):
        given = ImportOptions(**options)
        source = stream(package)
        return services.start_run(source, given, user=user or admin, queue=True)

    yield queue_it
    finish_queued_runs()


@pytest.fixture
def nobody(monkeypatch):
    """Queue runs as a process that ends before it can carry them out."""
    with monkeypatch.context() as dead:
        dead.setattr(background, "start_queued_runs", lambda: None)
        yield dead


def status_of(run_id):
    return services.get_run(run_id).status


def codes():
    return sorted(model_of("UnitsOfMeasure").objects.values_list("code", flat=True))


def test_runs_are_carried_out_in_the_order_in_which_they_came(start, queue, gate):
    first = start(units("first"))
    gate.wait_for_a_run()
    others = [queue(units(code)) for code in ("c", "a", "b")]
    assert services.queue_positions() == {run: n for n, run in enumerate(others, 1)}
    assert {status_of(run) for run in others} == {"Queued"}
    assert services.get_report(others[0]) is None
    gate.open()
    finish_queued_runs()
    ended = ImportRun.objects.order_by("started_at").values_list("pk", flat=True)
    assert list(ended) == [first, *others]
    assert {status_of(run) for run in ended} == {"Completed"}
    assert codes() == ["a", "b", "c", "first"]
    assert not QueuedRun.objects.exists()
    assert not PackagePiece.objects.exists()


def test_a_queued_run_starts_at_once_if_no_other_is_in_progress(queue, gate):
    run_id = queue(units("a"))
    gate.wait_for_a_run()
    assert status_of(run_id) == "Running"
    assert services.queue_positions() == {}


def test_a_cancelled_queued_run_ends_at_once_and_writes_nothing(start, queue, gate):
    start(units("first"))
    gate.wait_for_a_run()
    cancelled, other = queue(units("a")), queue(units("b"))
    services.cancel_run(cancelled)
    assert services.queue_positions() == {other: 1}
    report = services.get_report(cancelled)
    assert (report.status, report.has_errors) == ("Interrupted", False)
    assert "before it began" in report.diagnostics[0].message
    assert not PackagePiece.objects.filter(run=cancelled).exists()
    gate.open()
    finish_queued_runs()
    assert codes() == ["b", "first"]


def test_a_queued_run_has_the_options_and_the_user_of_its_start(queue, clerk, nobody):
    user = clerk("add_unitofmeasure")
    package = units("a").item("unit:b", code="a", name="taken")
    given = {"time_zone": "Asia/Tokyo", "continue_on_error": True, "dry_run": True}
    run_id = queue(package, user=user, **given)
    nobody.undo()
    services.end_what_died()
    finish_queued_runs()
    run = services.get_run(run_id)
    assert run.status == "Completed"
    assert (run.counts["Inserted"], run.counts["Failed"]) == (1, 1)
    assert {name: getattr(run, name) for name in given} == given
    assert (run.started_by, run.started_by_name) == (user, "clerk")
    assert kept_packages.is_kept(run)
    assert codes() == []


def test_another_process_carries_out_the_runs_of_a_dead_one(queue, nobody):
    runs = [queue(units(code)) for code in "ab"]
    nobody.undo()
    assert {status_of(run) for run in runs} == {"Queued"}
    services.end_what_died()
    finish_queued_runs()
    assert {status_of(run) for run in runs} == {"Completed"}


def test_the_end_of_a_run_starts_those_of_a_dead_process(start, queue, nobody):
    waiting = queue(units("a"))
    nobody.undo()
    start(units("b"))
    finish_runs()
    finish_queued_runs()
    assert status_of(waiting) == "Completed"


def test_a_run_of_a_dead_process_doesnt_keep_others_waiting(run, queue):
    dead = run(units("a")).run_id
    ImportRun.objects.update(status="Running")
    waiting = queue(units("b"))
    finish_queued_runs()
    assert (status_of(dead), status_of(waiting)) == ("Interrupted", "Completed")


def test_queued_runs_are_not_marked_as_interrupted(queue, nobody):
    run_id = queue(units("a"))
    assert services.mark_interrupted_runs() == 0
    assert status_of(run_id) == "Queued"


def test_two_processes_never_carry_out_the_same_run(queue, nobody, monkeypatch):
    monkeypatch.setattr(background, "_BETWEEN_TRIES", 0.01)
    runs = [queue(units(f"u{n}")) for n in range(6)]
    nobody.undo()
    processes = [QueueThread(), QueueThread()]
    for process in processes:
        process.wake()
    for process in processes:
        process.join(LIMIT_SECONDS)
    finish_queued_runs()
    ended = ImportRun.objects.order_by("started_at")
    assert [run.pk for run in ended] == runs
    assert [run.counts["Inserted"] for run in ended] == [1] * 6


def test_a_run_that_another_process_has_taken_is_not_carried_out(queue, nobody):
    run_id = queue(units("a"))
    mine, yours = (queueing.order_at(queueing.next_place()) for _ in range(2))
    execution.execute(mine)
    with pytest.raises(history.NotQueued):
        execution.execute(yours)
    yours.source.close()
    assert services.get_run(run_id).counts["Inserted"] == 1


@pytest.mark.parametrize(
    "gone", ["was deleted", "is deactivated", "may no longer import"]
)
def test_a_run_of_a_user_who_has_gone_fails(queue, clerk, nobody, gone):
    user = clerk("add_unitofmeasure")
    by_request = ImportRun.StartedVia.API
    run_id = queue(units("a"), user=user, started_via=by_request)
    other = queue(units("b"))
    if gone == "was deleted":
        user.delete()
    elif gone == "is deactivated":
        User.objects.filter(pk=user.pk).update(is_active=False)
    nobody.undo()
    services.end_what_died()
    finish_queued_runs()
    report = services.get_report(run_id)
    assert (report.status, report.has_errors) == ("Failed", True)
    assert f"the user “clerk” {gone}" in report.problems[0].message
    assert status_of(other) == "Completed"
    assert codes() == ["b"]


def test_a_stopping_server_leaves_its_queued_runs_to_the_next(
    start, queue, gate, monkeypatch
):
    engine = ThreadEngine()
    with monkeypatch.context() as stopping:
        stopping.setattr(background, "engine", lambda: engine)
        stopping.setattr(running, "_stopped", threading.Event())
        first = start(units("first", "second"))
        gate.wait_for_a_run()
        waiting = queue(units("a"))
        services.stop_runs()
        gate.open()
        engine.join(LIMIT_SECONDS)
        background.queue_thread.wake()
        background.queue_thread.join(LIMIT_SECONDS)
        assert (status_of(first), status_of(waiting)) == ("Interrupted", "Queued")
        with pytest.raises(EngineStopped):
            queue(units("b"))
    services.start_queued_runs()
    finish_queued_runs()
    assert status_of(waiting) == "Completed"


def test_the_plan_of_a_dry_run_waits_with_its_dry_run(run, admin, nobody):
    run(units("a"))
    planned = run(units("a", "b"), dry_run=True).run_id
    plan = services.start_plan(planned, user=admin, queue=True)
    old = timezone.now() - dry_runs.KEPT_FOR - timedelta(minutes=1)
    ImportRun.objects.filter(pk=planned).update(finished_at=old)
    services.remove_expired()
    nobody.undo()
    services.end_what_died()
    finish_queued_runs()
    stored = services.get_run(plan)
    assert (stored.status, stored.kind) == ("Completed", "plan")
    assert (stored.counts["Unchanged"], stored.counts["Inserted"]) == (1, 1)
    services.remove_expired()
    assert not ImportRun.objects.filter(pk=planned).exists()


def test_a_plan_whose_dry_run_is_gone_fails(run, admin, nobody):
    planned = run(units("a"), dry_run=True).run_id
    plan = services.start_plan(planned, user=admin, queue=True)
    ImportRun.objects.filter(pk=planned).delete()
    nobody.undo()
    services.end_what_died()
    finish_queued_runs()
    report = services.get_report(plan)
    assert report.status == "Failed"
    assert "start a new dry run" in report.problems[0].message


def test_housekeeping_leaves_queued_runs_alone(queue, run, nobody, importer_settings):
    importer_settings(RUNS_TO_KEEP=1)
    run_id = queue(units("a"))
    for _ in range(2):
        run(b"{}")
    services.remove_expired()
    nobody.undo()
    services.end_what_died()
    finish_queued_runs()
    assert status_of(run_id) == "Completed"


def test_a_run_identifier_is_queued_only_once(queue, nobody):
    run_id = queue(units("a"), run_id=uuid4())
    with pytest.raises(RunExists):
        queue(units("b"), run_id=run_id)
    services.cancel_run(run_id)
    with pytest.raises(RunExists):
        queue(units("b"), run_id=run_id)


def test_too_many_queued_runs_are_refused(queue, nobody, monkeypatch):
    monkeypatch.setattr(queueing, "MOST", 2)
    for code in "ab":
        queue(units(code))
    with pytest.raises(ImportInProgress, match="2 runs are waiting"):
        queue(units("c"))
    assert ImportRun.objects.count() == 2


def test_a_run_that_cannot_begin_does_not_keep_others_waiting(queue, nobody):
    broken, other = queue(units("a"), time_zone="UTC"), queue(units("b"))
    ImportRun.objects.filter(pk=broken).update(time_zone="Mars/Olympus")
    nobody.undo()
    services.end_what_died()
    finish_queued_runs()
    assert (status_of(broken), status_of(other)) == ("Failed", "Completed")
    assert "server log" in services.get_report(broken).problems[0].message


def test_the_page_shows_a_queued_run(start, queue, gate, admin):
    start(units("first"))
    gate.wait_for_a_run()
    run_id = queue(units("a"))
    visitor = Visitor(admin)
    assert "waiting for its turn" in visitor.text(run=run_id)
    assert "Queued" in visitor.text()
    gate.open()
