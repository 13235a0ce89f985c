"""Processors that a program has executed without waiting: `Prefer: respond-async`."""

from __future__ import annotations

import json

import pytest
from django.urls import path

from catalogs.models import Constant
from platform_site.accounts.api_keys import create_api_key, revoke_api_key
from platform_site.changes.models import ChangeEvent
from platform_site.processing.api import paths_of
from platform_site.scheduling import history
from platform_site.scheduling.models import JobExecution
from platform_site.scheduling.requests import MOST_UNFINISHED
from platform_site.scheduling.scheduler import REQUESTED_AT_ONCE, Scheduler
from platform_site.urls import urlpatterns as site
from tests.catalogs.rows import boss
from tests.processing.users import somebody_who_may
from tests.scheduling.jobs import Note, ReadFile, a_job, last, turn

pytestmark = pytest.mark.urls(__name__)
BASE = "/api/v1"
NOTE = f"{BASE}/Processors/Note"
ASYNC = {"Prefer": "respond-async"}

urlpatterns = [
    path(f"api/v1/{one.pattern}", one.callback)
    for one in (paths_of(Note), paths_of(ReadFile))
]
urlpatterns += site


def ask(client, data=None, url=NOTE, **headers):
    body = json.dumps({} if data is None else data)
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return client.post(
        url, body, content_type="application/json", headers={**ASYNC, **named}
    )


@pytest.fixture
def program(client, runner):
    """Return a client that is signed in as somebody who may execute processors."""
    client.force_login(runner)
    return client


def read(client, answer):
    return client.get(answer["Location"])


def test_it_is_accepted_at_once_and_read_until_it_has_ended(program, scheduler):
    accepted = ask(program, {"text": "by itself"})
    assert accepted.status_code == 202
    assert accepted["Preference-Applied"] == "respond-async"
    assert accepted["Location"] == f"{BASE}/Executions/{accepted.json()['id']}"
    waiting = read(program, accepted)
    assert waiting.json()["status"] == "Waiting"
    assert int(waiting["Retry-After"]) > 0
    assert not Constant.objects.filter(name="note").exists()
    turn(scheduler)
    done = read(program, accepted)
    assert "Retry-After" not in done
    assert done.json() == {
        "id": accepted.json()["id"],
        "processor": "Note",
        "status": "Completed",
        "startedBy": accepted.json()["startedBy"],
        "requestedAt": accepted.json()["requestedAt"],
        "startedAt": done.json()["startedAt"],
        "finishedAt": done.json()["finishedAt"],
        "result": {"kept": "by itself", "day": None},
        "message": "",
    }


def test_without_the_preference_the_result_is_awaited(program, scheduler):
    for preferences in ("", "wait=10", "handling=lenient, return=minimal"):
        answer = ask(program, {"text": "now"}, Prefer=preferences)
        assert (answer.status_code, answer.json()["kept"]) == (200, "now")
    mixed = ask(program, Prefer="wait=10, Respond-Async; x=1")
    assert mixed.status_code == 202


def test_what_is_wrong_already_is_refused_at_once(program, runner, scheduler):
    wrong = ask(program, {"text": 3, "tekst": ""})
    assert wrong.status_code == 400
    assert "tekst" in wrong.json()["errors"]
    assert ask(program, [1]).status_code == 400
    zone = ask(program, X_Time_Zone="Mars/Olympus")
    assert zone.status_code == 400
    runner.user_permissions.clear()
    assert ask(program).status_code == 403
    assert not JobExecution.objects.exists()


def test_it_writes_as_the_user_in_the_zone_of_the_request(program, runner, scheduler):
    given = {"text": "written", "day": "2026-03-01"}
    accepted = ask(program, given, X_Time_Zone="Asia/Tokyo")
    turn(scheduler)
    day = read(program, accepted).json()["result"]["day"]
    assert day == "2026-03-01T00:00:00+09:00"
    event = ChangeEvent.objects.get(model="Constants")
    assert (event.user, event.origin) == (runner, "User")


def test_a_key_leaves_its_origin_and_counts_until_the_end(client, runner, scheduler):
    row, text = create_api_key(user=runner, name="shop")
    key = {"X-Api-Key": text}
    ask(client, {"text": "first"}, **key)
    turn(scheduler)
    assert ChangeEvent.objects.get(model="Constants").origin == "API key"
    second = ask(client, {"text": "second"}, **key)
    revoke_api_key(key=row)
    turn(scheduler)
    row = JobExecution.objects.get(pk=second.json()["id"])
    assert (row.status, row.message) == (
        "Failed",
        "The API key with which this was requested is revoked.",
    )


def test_a_user_who_may_no_more_gets_nothing_done(program, runner, scheduler):
    ask(program)
    runner.user_permissions.clear()
    turn(scheduler)
    assert JobExecution.objects.get().status == "Failed"
    ask_again = JobExecution.objects.create(
        processor="Note",
        status="Waiting",
        due_at="2026-01-01T00:00Z",
        requested_by=runner,
    )
    runner.is_active = False
    runner.save()
    turn(scheduler)
    ask_again.refresh_from_db()
    assert ask_again.message == "The user who requested this was deleted or disabled."


def test_a_failure_is_a_sentence(program, scheduler, monkeypatch):
    def fails():
        raise ValueError

    monkeypatch.setattr(Note, "meanwhile", staticmethod(fails))
    accepted = ask(program)
    turn(scheduler)
    failed = read(program, accepted).json()
    assert failed["status"] == "Failed"
    assert "failed unexpectedly" in failed["message"]
    assert failed["result"] == {}


def test_others_dont_read_it_but_those_who_may_see_executions_do(
    program, client, scheduler
):
    accepted = ask(program)
    client.force_login(somebody_who_may(ReadFile))
    assert read(client, accepted).status_code == 404
    client.force_login(boss())
    assert read(client, accepted).status_code == 200
    assert client.get(f"{BASE}/Executions/999999").status_code == 404


def test_executions_of_jobs_are_elsewhere(client, runner, scheduler, clock):
    job = a_job(runner, interval_seconds=60)
    clock.move(minutes=2)
    turn(scheduler)
    client.force_login(boss())
    key = last(job).pk
    assert client.get(f"{BASE}/Executions/{key}").status_code == 404
    ask(client)
    listed = client.get(f"{BASE}/JobExecutions").json()["results"]
    assert {each["jobId"] for each in listed} == {job.pk}


def test_a_repeated_request_is_executed_once(program, scheduler):
    first = ask(program, Idempotency_Key="once")
    again = ask(program, Idempotency_Key="once")
    assert again.status_code == 202
    assert again.json() == first.json()
    assert again["Location"] == first["Location"]
    assert JobExecution.objects.count() == 1


def test_only_so_many_wait(program, scheduler):
    for _number in range(MOST_UNFINISHED):
        assert ask(program).status_code == 202
    refused = ask(program)
    assert refused.status_code == 403
    assert refused.json()["limit"] == "unfinishedExecutions"
    turn(scheduler)
    assert ask(program).status_code == 202


def test_long_requests_leave_the_jobs_their_threads(runner, accounts, client, clock):
    begun = []
    scheduler = Scheduler(clock, spawn=lambda name, work: begun.append(name))
    scheduler.poll()
    client.force_login(runner)
    for _number in range(REQUESTED_AT_ONCE + 2):
        ask(client)
    job = a_job(runner, interval_seconds=60)
    clock.move(minutes=2)
    scheduler.poll()
    assert begun.count("job Note") == REQUESTED_AT_ONCE
    assert f"job {job.pk}" in begun
    scheduler._lock.release()


def test_what_waits_survives_a_restart_and_what_ran_is_interrupted(
    program, accounts, clock
):
    running, waiting = ask(program), ask(program)
    row = JobExecution.objects.get(pk=running.json()["id"])
    history.begin(row, at=clock.now())
    scheduler = Scheduler(clock, spawn=lambda name, work: work())
    turn(scheduler)
    turn(scheduler)
    scheduler._lock.release()
    ended = read(program, running).json()
    assert ended["status"] == "Interrupted"
    assert ended["message"] == "The platform was stopped before the execution ended."
    assert read(program, waiting).json()["status"] == "Completed"


def test_the_newest_of_a_user_are_kept(program, scheduler, settings):
    settings.PLATFORM_EXECUTIONS_TO_KEEP = 2
    asked = [ask(program) for _number in range(4)]
    for _turn in asked:
        turn(scheduler)
    states = [read(program, each).status_code for each in asked]
    assert states == [404, 404, 200, 200]


def test_the_list_of_executions_names_the_processor(program, client, scheduler):
    ask(program, {"text": "listed"})
    turn(scheduler)
    client.force_login(boss())
    page = client.get("/admin/scheduling/jobexecution/").content.decode()
    assert "Note" in page
    key = JobExecution.objects.get().pk
    row = client.get(f"/admin/scheduling/jobexecution/{key}/change/")
    assert row.status_code == 200
