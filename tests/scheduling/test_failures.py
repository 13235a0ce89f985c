"""Whatever goes wrong with a job is a sentence in its history; the others go on."""

from __future__ import annotations

import pytest
from django.db import OperationalError

from catalogs.models import Constant, UnitOfMeasure
from importer.models import ImportRun
from importer.runs.lock import import_lock
from platform_site.accounts.models import User
from platform_site.accounts.services import delete_user, lock_user
from platform_site.changes.models import ChangeEvent
from platform_site.scheduling import history
from platform_site.scheduling.models import Job
from platform_site.scheduling.scheduler import Scheduler
from platform_site.scheduling.services import delete_job
from tests.processing.users import a_person, allow
from tests.scheduling.jobs import (
    ImportUnits,
    Note,
    ReadFile,
    a_job,
    executions,
    last,
    turn,
)

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def fire(scheduler, clock):
    """Return a function that lets an hour pass, and says what came of a job."""

    def fire(job):
        clock.move(hours=1)
        turn(scheduler)
        return last(job).status, last(job).message

    return fire


def test_a_missing_right_is_named(fire, accounts):
    status, message = fire(a_job(a_person()))
    assert status == "Failed"
    assert "ExecuteNote" in message
    assert not Constant.objects.exists()


def test_the_default_user_has_no_right_until_it_is_granted(fire, accounts):
    scheduler_account = User.objects.get(username="jobs-scheduler")
    job = a_job(scheduler_account)
    assert fire(job)[0] == "Failed"
    allow(scheduler_account, Note)
    scheduler_account.is_superuser = True
    scheduler_account.save()
    # Its account is locked for good, which only keeps it from signing in.
    assert fire(job) == ("Completed", "")


def test_a_right_to_write_that_is_missing_fails_the_execution(fire, accounts):
    person = a_person()
    allow(person, Note)
    status, message = fire(a_job(person))
    assert status == "Failed"
    assert "constant" in message.casefold()


def test_a_locked_user_is_refused(fire, runner):
    job = a_job(runner)
    lock_user(user=runner)
    assert fire(job) == (
        "Failed",
        f"The job runs as “{runner}”, whose account is locked; unlock it, or choose "
        "another user.",
    )


def test_a_disabled_user_is_refused(fire, runner):
    job = a_job(runner)
    User.objects.filter(pk=runner.pk).update(is_active=False)
    assert fire(job) == (
        "Failed",
        f"The job runs as “{runner}”, whose account is disabled; enable it, or choose "
        "another user.",
    )


def test_a_job_outlives_its_user_and_says_so(fire, runner):
    job = a_job(runner)
    delete_user(user=runner)
    status, message = fire(job)
    assert status == "Failed"
    assert "was deleted; choose another user" in message


def test_a_processor_that_is_no_more_is_named(fire, runner):
    job = a_job(runner)
    Job.objects.filter(pk=job.pk).update(processor="Gone")
    assert fire(job) == ("Failed", "There is no data processor “Gone”.")


def test_a_file_processor_has_no_file_chosen(fire, runner):
    job = a_job(runner, processor=ReadFile)
    assert fire(job) == ("Failed", "No file chosen.")


def test_an_input_that_does_not_fit_is_named(fire, runner):
    job = a_job(runner)
    # Saved by an earlier version, whose processor took more.
    Job.objects.filter(pk=job.pk).update(input={"text": "x", "more": 1})
    status, message = fire(job)
    assert status == "Failed"
    assert message == 'more: Unknown property "more".'


def test_a_processor_that_breaks_fails_alone(fire, runner, monkeypatch):
    def breaks():
        raise RuntimeError

    monkeypatch.setattr(Note, "meanwhile", breaks)
    broken, good = a_job(runner), a_job(runner, processor=ImportUnits)
    status, message = fire(broken)
    assert (status, "failed unexpectedly" in message) == ("Failed", True)
    assert "Traceback" not in message
    assert last(good).status == "Completed"


def test_a_processor_that_ends_its_thread_fails_alone(
    scheduler, clock, runner, monkeypatch
):
    job = a_job(runner)

    def leaves():
        raise SystemExit

    monkeypatch.setattr(Note, "meanwhile", leaves)
    clock.move(hours=1)
    with pytest.raises(SystemExit):
        scheduler.poll()
    turn(scheduler)
    assert last(job).status == "Failed"


def test_an_import_in_progress_fails_the_job_and_its_next_run_succeeds(fire, runner):
    job = a_job(runner, processor=ImportUnits)
    with import_lock("clerk", "an import"):
        status, message = fire(job)
    assert status == "Failed"
    assert "An import is in progress" in message
    assert fire(job)[0] == "Completed"
    assert [status for _, status in executions(job)] == ["Failed", "Completed"]
    assert UnitOfMeasure.objects.count() == 2


def test_what_the_engine_writes_for_a_job_has_the_origin_import(fire, runner):
    fire(a_job(runner, processor=ImportUnits))
    events = ChangeEvent.objects.filter(model="UnitsOfMeasure")
    assert {(each.user_name, each.origin) for each in events} == {
        (runner.username, "Import")
    }
    run = ImportRun.objects.get()
    assert {each.run_id for each in events} == {run.pk}


def test_the_runs_of_a_job_have_its_zone(fire, runner):
    """IMP-106."""
    runner.time_zone = "Asia/Tokyo"
    runner.save()
    fire(a_job(runner, processor=ImportUnits, time_zone="UTC"))
    assert ImportRun.objects.get().time_zone == "UTC"


def test_a_result_the_database_cannot_keep_fails_the_execution(
    fire, runner, monkeypatch
):
    real = history.end

    def strict(execution, ending, *, at):
        if ending.result:
            raise ValueError("no such character")
        real(execution, ending, at=at)

    monkeypatch.setattr(history, "end", strict)
    assert fire(a_job(runner))[0] == "Failed"


def test_an_end_is_recorded_when_the_database_is_back(
    scheduler, clock, runner, monkeypatch
):
    def away(*args, **kwargs):
        raise OperationalError

    job = a_job(runner)
    clock.move(hours=1)
    scheduler.poll()
    with monkeypatch.context() as patch:
        patch.setattr(history, "end", away)
        with pytest.raises(OperationalError):
            scheduler.poll()
    assert last(job).status == "Running"
    turn(scheduler)
    assert last(job).status == "Completed"


def test_a_machine_without_a_thread_to_spare_fails_the_execution_alone(
    accounts, clock, runner
):
    def none_left(name, work):
        raise RuntimeError("can't start new thread")

    job = a_job(runner)
    starved = Scheduler(clock, spawn=none_left)
    starved.poll()
    clock.move(hours=1)
    turn(starved)
    starved._lock.release()
    assert last(job).status == "Failed"
    assert not starved._is_busy()


def test_a_job_that_is_deleted_while_it_runs_harms_nobody(
    scheduler, clock, runner, monkeypatch
):
    job = a_job(runner)
    monkeypatch.setattr(Note, "meanwhile", lambda: delete_job(job=job))
    clock.move(hours=1)
    turn(scheduler)
    assert not Job.objects.exists()
    assert Constant.objects.get().value == "tick"
    assert not scheduler._is_busy()
