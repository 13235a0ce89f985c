"""Background runs: started before the response, one at a time, and stopped properly."""

from __future__ import annotations

import io
import threading
from contextlib import ExitStack
from unittest import mock
from uuid import UUID

import pytest
from django.db import OperationalError

from importer import services
from importer.models import ImportRun
from importer.pipeline.run import Pipeline
from importer.runs import background, execution, history, lock, reading, running
from importer.runs.background import ThreadEngine
from importer.services import (
    EngineStopped,
    ImportInProgress,
    ImportOptions,
    RunExists,
    UnknownTimeZone,
    import_lock,
)
from platform_site.changes.models import ChangeEvent
from platform_site.log_context import log_context, logged_with
from tests.builders import model_of, stream, units
from tests.importer.background import LIMIT_SECONDS, finish_runs

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def own_engine(monkeypatch):
    """Install an engine that a test may shut down."""
    engine = ThreadEngine()
    monkeypatch.setattr(background, "engine", lambda: engine)
    monkeypatch.setattr(running, "_stopped", threading.Event())
    return engine


def codes():
    return sorted(model_of("UnitsOfMeasure").objects.values_list("code", flat=True))


def test_a_start_returns_during_the_run(start, gate, admin):
    """IMP-284, IMP-285."""
    run_id = start(units("a", "b"))
    gate.wait_for_a_run()
    record = services.get_run(run_id)
    assert (record.status, record.started_by) == ("Running", admin)
    assert services.get_report(run_id) is None
    gate.open()
    assert services.get_run(run_id).status == "Completed"
    assert services.get_report(run_id).counts["Inserted"] == 2
    assert codes() == ["a", "b"]


def test_log_lines_of_a_run_name_the_request_that_started_it(start, monkeypatch):
    seen = []

    def fail(*_arguments, **_options):
        seen.append(log_context())
        raise OperationalError("gone")

    monkeypatch.setattr(history, "RunRecord", fail)
    with logged_with(request_id="r-30"), pytest.raises(OperationalError):
        start(units("a"))
    [context] = seen
    assert context.request_id == "r-30"


def test_log_lines_of_a_run_name_the_run_and_its_user(start, monkeypatch):
    seen = []

    def fail(*_arguments, **_options):
        seen.append(log_context())
        raise OperationalError("gone")

    monkeypatch.setattr(Pipeline, "apply", fail)
    run_id = start(units("a"))
    finish_runs()
    [context] = seen
    assert (context.run_id, context.user_name()) == (str(run_id), "admin")


def test_changes_of_a_background_run_have_user_and_run(start, clerk):
    """OPEN-46, IMP-284."""
    user = clerk("add_unitofmeasure")
    run_id = start(units("a"), user=user)
    finish_runs()
    event = ChangeEvent.objects.get(model="UnitsOfMeasure")
    assert (event.user, event.origin, event.run_id) == (user, "Import", run_id)


def test_only_one_run_is_in_progress_at_a_time(start, gate, run):
    """IMP-338."""
    first = start(units("a"))
    gate.wait_for_a_run()
    with pytest.raises(ImportInProgress, match="started by admin"):
        start(units("b"))
    with pytest.raises(ImportInProgress):
        start(units("b"), dry_run=True)
    with pytest.raises(ImportInProgress):
        run(units("b"))
    gate.open()
    assert services.get_run(first).status == "Completed"
    assert codes() == ["a"]
    assert ImportRun.objects.count() == 1


def test_a_start_right_after_the_end_of_a_run_works(start, monkeypatch):
    # The end shows before the lock is free, and whoever polls for it is quick.
    shown, freed = threading.Event(), threading.Event()
    finish, running_run = history.RunRecord.finish, reading.running_run

    def slow(self, *args):
        finish(self, *args)
        shown.set()
        freed.wait(LIMIT_SECONDS)

    def asked():
        freed.set()
        return running_run()

    monkeypatch.setattr(execution, "_SECONDS_TO_END", LIMIT_SECONDS)
    monkeypatch.setattr(history.RunRecord, "finish", slow)
    monkeypatch.setattr(reading, "running_run", asked)
    first = start(units("a"))
    assert shown.wait(LIMIT_SECONDS)
    assert services.get_run(first).status == "Completed"
    start(units("b"))
    finish_runs()
    assert codes() == ["a", "b"]


def test_a_start_waits_for_a_check_for_dead_runs(start, run, monkeypatch):
    dead = run(units("a")).run_id
    ImportRun.objects.update(status="Running")
    check = ExitStack()

    def refused(holder):
        check.close()
        return ImportInProgress(holder)

    monkeypatch.setattr(execution, "_SECONDS_TO_END", LIMIT_SECONDS)
    monkeypatch.setattr(lock, "ImportInProgress", refused)
    with check:
        check.enter_context(import_lock("the platform", "a check"))
        begun = start(units("b"))
    finish_runs()
    assert services.get_run(begun).status == "Completed"
    assert services.get_run(dead).status == "Interrupted"


def test_concurrent_starts_of_one_run_both_return(start, monkeypatch):
    both, answers = threading.Barrier(2), []

    def refuse(*_arguments, **_options):
        both.wait(LIMIT_SECONDS)
        raise RunExists

    def ask():
        with pytest.raises(RunExists):
            start(units("a"), run_id=UUID(int=1))
        answers.append("refused")

    monkeypatch.setattr(background, "execute", refuse)
    threads = [threading.Thread(target=ask, daemon=True) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(10)
    assert answers == ["refused"] * 2


def test_stopping_the_server_ends_its_run_properly(start, gate, own_engine):
    run_id = start(units("a", "b"))
    gate.wait_for_a_run()
    services.stop_runs()
    gate.open()
    own_engine.join(LIMIT_SECONDS)
    assert services.get_run(run_id).status == "Interrupted"
    assert codes() == ["a"]
    with pytest.raises(EngineStopped, match="stopping"):
        start(units("b"))


@pytest.mark.parametrize("dry_run", [False, True])
def test_errors_that_prevent_a_run_are_raised_at_once(start, run, dry_run):
    known = run(units("a")).run_id
    with pytest.raises(RunExists):
        start(units("b"), run_id=known, dry_run=dry_run)
    with pytest.raises(UnknownTimeZone, match="Mars"):
        start(units("b"), time_zone="Mars", dry_run=dry_run)
    start(units("b"), dry_run=dry_run)  # the lock was given back


def test_an_unwritable_record_is_raised_at_once(start):
    refusal = OperationalError("disk full")
    with (
        mock.patch.object(history.RunRecord, "_begin", side_effect=refusal),
        pytest.raises(OperationalError, match="disk full"),
    ):
        start(units("a"))
    start(units("a"))
    finish_runs()
    assert codes() == ["a"]


@pytest.mark.parametrize("dry_run", [False, True])
def test_a_run_that_fails_does_not_stay_running(start, dry_run):
    broken = RuntimeError("the lights went out")
    with mock.patch.object(execution.PackageRun, "_status", side_effect=broken):
        run_id = start(units("a"), dry_run=dry_run)
        finish_runs()
    record = services.get_run(run_id)
    assert (record.status, record.has_errors) == ("Failed", True)
    assert record.finished_at is not None
    assert "the server log" in record.diagnostics[0]["message"]


def test_a_path_and_an_embedded_package_can_be_started(admin, tmp_path):
    file = units("a").as_file(tmp_path / "units.json")
    run_id = services.start_run(file, user=admin)
    finish_runs()
    assert services.get_run(run_id).status == "Completed"
    embedded = services.embedded_package("demo-company")
    options = ImportOptions(dry_run=True)
    run_id = services.start_run(embedded, options, user=admin)
    finish_runs()
    assert services.get_run(run_id).package == "demo-company"


def test_a_source_may_be_closed_after_the_start(start, gate, admin):
    source = io.BytesIO(units("a").as_bytes())
    run_id = services.start_run(source, user=admin)
    source.close()
    gate.open()
    assert services.get_run(run_id).status == "Completed"


def test_an_unreadable_source_is_raised_to_the_caller(admin):
    source = stream(units("a"))
    source.close()
    with pytest.raises(ValueError):
        services.start_run(source, user=admin)
    assert not ImportRun.objects.exists()
