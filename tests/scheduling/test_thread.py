"""The scheduler's own thread: it wakes, survives, and ends in order."""

from __future__ import annotations

import threading
import time

import pytest
from django.db import OperationalError, connection

from platform_site.scheduling import scheduler as module
from platform_site.scheduling.clock import SystemClock
from platform_site.scheduling.models import Job, JobExecution
from platform_site.scheduling.scheduler import Scheduler
from platform_site.scheduling.services import run_now
from tests.scheduling.jobs import Note, a_job, last

pytestmark = pytest.mark.django_db(transaction=True)
LIMIT_SECONDS = 30


def until(condition):
    """Wait for what another thread does; a failing test ends at the limit."""
    limit = time.monotonic() + LIMIT_SECONDS
    pause = threading.Event()
    while not condition():
        assert time.monotonic() < limit, "It did not happen."
        pause.wait(0.01)


def completed(job):
    return job.executions.filter(status="Completed").count()


@pytest.fixture
def begun(accounts):
    """Return a function that starts a scheduler's thread, stopped after the test."""
    started = []

    def begin(clock=None):
        scheduler = Scheduler(clock)
        scheduler.start()
        started.append(scheduler)
        until(lambda: scheduler._seen)
        return scheduler

    yield begin
    for scheduler in started:
        scheduler.stop(wait_seconds=LIMIT_SECONDS)
        assert not scheduler._thread.is_alive()


def test_a_job_fires_in_its_own_thread_when_it_is_due(begun, clock, runner):
    job = a_job(runner)
    begun(clock)
    clock.move(hours=1)
    until(lambda: completed(job))
    assert last(job).due_at == clock.now()


def test_run_now_wakes_the_thread(begun, runner, monkeypatch):
    monkeypatch.setattr(module, "POLL_SECONDS", LIMIT_SECONDS * 2)
    asleep = threading.Event()
    wait = SystemClock.wait
    monkeypatch.setattr(SystemClock, "wait", lambda *args: (asleep.set(), wait(*args)))
    job = a_job(runner, cron="0 0 1 1 *")
    # The creation of the job has rung too.
    SystemClock().wait(0)
    asleep.clear()
    begun()
    assert asleep.wait(LIMIT_SECONDS)
    run_now(job=job, user=runner)
    until(lambda: completed(job))


def test_an_edit_by_another_process_is_found_without_a_signal(
    begun, runner, monkeypatch
):
    monkeypatch.setattr(module, "POLL_SECONDS", 0.05)
    job = a_job(runner, cron="0 0 1 1 *")
    begun()
    # Past the services, so nothing here rings the bell.
    Job.objects.update(cron="", interval_seconds=1)
    until(lambda: completed(job))


def test_the_thread_survives_a_database_that_is_away(
    begun, clock, runner, monkeypatch, caplog
):
    job = a_job(runner)
    scheduler = begun(clock)
    tried = threading.Event()

    def away(*args):
        tried.set()
        raise OperationalError("no answer")

    with monkeypatch.context() as patch:
        patch.setattr(Scheduler, "_claim_due", away)
        tried.wait(LIMIT_SECONDS)
    until(lambda: "can read the jobs again" in caplog.text)
    assert caplog.text.count("cannot read the jobs") == 1
    clock.move(hours=1)
    until(lambda: completed(job))
    assert scheduler._thread.is_alive()


def test_stopping_waits_for_the_job_that_runs_and_starts_no_other(
    begun, clock, runner, monkeypatch
):
    going, may_end = threading.Event(), threading.Event()

    def lasts():
        going.set()
        may_end.wait(LIMIT_SECONDS)

    monkeypatch.setattr(Note, "meanwhile", lasts)
    job = a_job(runner)
    scheduler = begun(clock)
    clock.move(hours=1)
    assert going.wait(LIMIT_SECONDS)
    scheduler.stop()
    other = a_job(runner)
    clock.move(hours=1)
    may_end.set()
    scheduler.stop(wait_seconds=LIMIT_SECONDS)
    assert not scheduler._thread.is_alive()
    assert last(job).status == "Completed"
    assert not JobExecution.objects.filter(job=other).exists()


def test_stopping_does_not_wait_for_ever(begun, clock, runner, monkeypatch):
    going, may_end = threading.Event(), threading.Event()

    def lasts():
        going.set()
        may_end.wait(LIMIT_SECONDS)

    monkeypatch.setattr(Note, "meanwhile", lasts)
    job = a_job(runner)
    scheduler = begun(clock)
    clock.move(hours=1)
    assert going.wait(LIMIT_SECONDS)
    scheduler.stop(wait_seconds=0.01)
    assert last(job).status == "Running"
    may_end.set()


def test_no_connection_of_the_thread_stays_open(begun, clock, runner):
    if connection.vendor != "postgresql":
        pytest.skip("Only a server can be asked who is connected to it.")
    job = a_job(runner)
    scheduler = begun(clock)
    clock.move(hours=1)
    until(lambda: completed(job))
    # The lock's alone, while it looks for work; none at all when it has stopped.
    until(lambda: connected() == 1)
    scheduler.stop(wait_seconds=LIMIT_SECONDS)
    until(lambda: connected() == 0)


def connected():
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM pg_stat_activity"
            " WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )
        (count,) = cursor.fetchone()
    return count


def test_a_lock_that_was_lost_with_its_connection_is_taken_again(
    begun, clock, runner, monkeypatch
):
    if connection.vendor != "postgresql":
        pytest.skip("A lock on a file cannot be lost.")
    job = a_job(runner)
    begun(clock)
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )
    clock.move(hours=1)
    until(lambda: completed(job))
