"""The scheduler under a clock that only the test moves: what fires, when, and once."""

from __future__ import annotations

import datetime as dt
from zoneinfo import ZoneInfo

import pytest

from catalogs.models import Constant
from platform_site.changes.models import ChangeEvent
from platform_site.scheduling import history
from platform_site.scheduling.models import Job, JobExecution
from platform_site.scheduling.scheduler import Scheduler
from platform_site.scheduling.services import delete_job, run_now, update_job
from tests.scheduling.jobs import NOON, Note, a_job, executions, last, turn

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_fresh_installation_has_no_job(accounts):
    assert not Job.objects.exists()


def test_a_job_fires_when_it_is_due_and_not_before(scheduler, clock, runner):
    job = a_job(runner, cron="30 12 * * *")
    clock.move(minutes=29, seconds=59)
    turn(scheduler)
    assert executions(job) == []
    clock.move(seconds=1)
    turn(scheduler)
    assert executions(job) == [(30, "Completed")]
    execution = last(job)
    assert execution.started_at == execution.finished_at == clock.now()
    assert execution.result == {"kept": "tick", "day": None}
    assert (execution.started_by, execution.run_as) == (
        "jobs-scheduler",
        runner.username,
    )


def test_an_interval_fires_again_and_again(scheduler, clock, runner):
    job = a_job(runner, interval_seconds=600)
    for _minute in range(31):
        turn(scheduler)
        clock.move(minutes=1)
    assert executions(job) == [
        (10.0, "Completed"),
        (20, "Completed"),
        (30, "Completed"),
    ]


def test_a_due_job_fires_once_however_often_the_scheduler_polls(
    scheduler, clock, runner
):
    job = a_job(runner)
    clock.move(hours=1)
    for _each in range(3):
        turn(scheduler)
    assert executions(job) == [(60, "Completed")]


def test_a_poll_returns_when_the_next_of_all_jobs_is_due(scheduler, clock, runner):
    assert scheduler.poll() is None
    a_job(runner, cron="0 14 * * *")
    a_job(runner, cron="0 13 * * *")
    a_job(runner, cron="5 12 * * *", enabled=False)
    assert scheduler.poll() == NOON + dt.timedelta(hours=1)
    clock.move(hours=1)
    assert scheduler.poll() == NOON + dt.timedelta(hours=2)


def test_a_job_writes_as_its_user_with_the_origin_of_a_scheduled_job(
    scheduler, clock, runner
):
    """IMP-295."""
    a_job(runner)
    clock.move(hours=1)
    turn(scheduler)
    event = ChangeEvent.objects.get(model="Constants")
    assert (event.user_name, event.origin) == (runner.username, "Scheduled job")
    assert Constant.objects.get().value == "tick"


def test_the_input_of_a_job_overrides_the_defaults_of_its_processor(
    scheduler, clock, runner
):
    """IMP-296."""
    a_job(runner, input={"text": "mine"})
    clock.move(hours=1)
    turn(scheduler)
    assert Constant.objects.get().value == "mine"


@pytest.mark.parametrize(
    ("zone", "midnight"),
    [("Asia/Tokyo", "2025-12-31T15:00:00Z"), ("UTC", "2026-01-01T00:00:00Z")],
)
def test_a_job_reads_dates_in_its_own_zone(scheduler, clock, runner, zone, midnight):
    runner.time_zone = "America/New_York"
    runner.save()
    job = a_job(runner, time_zone=zone, input={"day": "2026-01-01"})
    clock.move(hours=1)
    turn(scheduler)
    day = dt.datetime.fromisoformat(last(job).result["day"])
    assert day == dt.datetime.fromisoformat(midnight)


def test_an_edit_takes_effect_at_the_next_look(scheduler, clock, runner):
    job = a_job(runner, cron="30 12 * * *")
    scheduler.poll()
    job.cron = "10 12 * * *"
    update_job(job=job)
    Job.objects.update(since=NOON)
    clock.move(minutes=10)
    turn(scheduler)
    clock.move(minutes=20)
    turn(scheduler)
    assert executions(job) == [(10, "Completed")]


def test_a_schedule_fires_nothing_from_before_it_was_made(scheduler, clock, runner):
    clock.move(seconds=59)
    job = a_job(runner, cron="* * * * *", since=clock.now() + dt.timedelta(seconds=3))
    clock.move(seconds=4)
    turn(scheduler)
    assert executions(job) == []


def test_a_job_that_is_switched_off_or_deleted_fires_no_more(scheduler, clock, runner):
    off, gone = a_job(runner), a_job(runner)
    scheduler.poll()
    off.enabled = False
    update_job(job=off)
    delete_job(job=gone)
    clock.move(hours=1)
    turn(scheduler)
    assert not JobExecution.objects.exists()


def test_missed_runs_are_skipped_after_a_restart(accounts, clock, runner):
    """HOST-030, OPEN-75."""
    job = a_job(runner)
    clock.move(hours=3, seconds=30)
    again = Scheduler(clock, spawn=lambda name, work: work())
    turn(again)
    assert executions(job) == []
    clock.move(minutes=59, seconds=30)
    turn(again)
    again._lock.release()
    assert executions(job) == [(240, "Completed")]


def test_what_was_missed_in_a_long_sleep_is_not_made_up(scheduler, clock, runner):
    job = a_job(runner)
    clock.move(hours=5, minutes=30)
    turn(scheduler)
    clock.move(minutes=30)
    turn(scheduler)
    assert executions(job) == [(360, "Completed")]


def test_a_run_that_is_found_a_little_late_still_starts(scheduler, clock, runner):
    job = a_job(runner)
    clock.move(hours=1, seconds=20)
    turn(scheduler)
    # The scheduler didn't poll for an hour, but the run is only just overdue.
    assert executions(job) == [(60, "Completed")]


def test_a_machine_whose_clock_was_set_back_keeps_starting_jobs(
    scheduler, clock, runner
):
    job = a_job(runner, since=NOON - dt.timedelta(days=1))
    clock.move(minutes=-150)
    turn(scheduler)
    clock.move(minutes=30)
    turn(scheduler)
    assert executions(job) == [(-120, "Completed")]


def test_both_changes_of_the_clocks_fire_as_documented(scheduler, clock, runner):
    berlin = ZoneInfo("Europe/Berlin")
    fixed = a_job(runner, cron="30 2 * * *", time_zone="Europe/Berlin")
    hourly = a_job(runner, cron="30 * * * *", time_zone="Europe/Berlin")
    for month, day in ((3, 29), (10, 25)):
        midnight = dt.datetime(2026, month, day, tzinfo=berlin)
        clock.move_to(midnight.astimezone(dt.UTC))
        for _quarter in range(21):
            clock.move(minutes=15)
            turn(scheduler)

    def fired(job):
        rows = JobExecution.objects.filter(job=job).order_by("pk")
        return [row.due_at.astimezone(berlin).strftime("%d %H:%M %z") for row in rows]

    assert fired(fixed) == ["29 03:30 +0200", "25 02:30 +0200"]
    assert fired(hourly)[1:4] == ["29 01:30 +0100", "29 03:30 +0200", "29 04:30 +0200"]
    assert fired(hourly)[6:9] == ["25 01:30 +0200", "25 02:30 +0200", "25 02:30 +0100"]


def test_a_job_is_never_two_at_once(scheduler, clock, runner, monkeypatch):
    """OPEN-75."""
    job = a_job(runner, interval_seconds=60)

    def a_minute_passes():
        clock.move(minutes=1)
        scheduler.poll()

    monkeypatch.setattr(Note, "meanwhile", a_minute_passes)
    clock.move(minutes=1)
    turn(scheduler)
    assert executions(job) == [(1, "Completed")]


def test_the_database_itself_keeps_a_second_execution_out(accounts, runner):
    job = a_job(runner)
    assert history.claim(job, due_at=NOON, started_by="one process")
    assert not history.claim(job, due_at=NOON, started_by="another process")


def test_only_one_scheduler_keeps_the_jobs_and_another_takes_over(
    scheduler, clock, runner
):
    job = a_job(runner)
    other = Scheduler(clock, spawn=lambda name, work: work())
    clock.move(hours=1)
    turn(other)
    assert executions(job) == []
    turn(scheduler)
    scheduler._lock.release()
    turn(other)
    clock.move(hours=1)
    turn(other)
    other._lock.release()
    assert executions(job) == [(60, "Completed"), (120, "Completed")]


def test_what_a_dead_scheduler_left_is_closed_by_the_next(accounts, clock, runner):
    job = a_job(runner)
    history.claim(job, due_at=NOON, started_by="jobs-scheduler")
    next_one = Scheduler(clock)
    turn(next_one)
    next_one._lock.release()
    assert executions(job) == [(0, "Interrupted")]
    assert "stopped before the execution ended" in last(job).message


def test_more_jobs_than_may_run_at_once_wait_for_their_turn(accounts, clock, runner):
    started = []
    busy = Scheduler(clock, spawn=lambda name, work: started.append(work))
    busy.poll()
    for _each in range(6):
        a_job(runner)
    clock.move(hours=1)
    turn(busy)
    assert JobExecution.objects.filter(status="Waiting").count() == 2
    for work in started:
        work()
    turn(busy)
    for work in started[4:]:
        work()
    turn(busy)
    busy._lock.release()
    assert JobExecution.objects.filter(status="Completed").count() == 6


def test_run_now_runs_beside_the_schedule_even_what_is_switched_off(
    scheduler, clock, runner
):
    job = a_job(runner, enabled=False)
    run_now(job=job, user=runner)
    turn(scheduler)
    assert last(job).status == "Completed"
    assert last(job).started_by == runner.username


def test_the_history_of_a_job_is_pruned(scheduler, clock, runner, settings):
    settings.PLATFORM_EXECUTIONS_TO_KEEP = 2
    job, other = a_job(runner), a_job(runner, cron="0 13 * * *")
    for _hour in range(4):
        clock.move(hours=1)
        turn(scheduler)
    assert executions(job) == [(180, "Completed"), (240, "Completed")]
    assert len(executions(other)) == 1


def test_a_schedule_that_cannot_be_read_does_not_stop_the_others(
    scheduler, clock, runner
):
    good = a_job(runner)
    for broken in ({"cron": "nonsense"}, {"time_zone": "Nowhere/Atall"}):
        Job.objects.filter(pk=a_job(runner).pk).update(**broken)
    clock.move(hours=1)
    turn(scheduler)
    assert executions(good) == [(60, "Completed")]
