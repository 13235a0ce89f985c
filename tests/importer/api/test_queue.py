"""Queued runs over HTTP: starting, watching, listing and cancelling them."""

from __future__ import annotations

import pytest
from drf_spectacular.generators import SchemaGenerator

from importer.models import ImportRun
from importer.runs import queueing
from tests.builders import model_of, units
from tests.importer import background

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.urls("tests.importer.api.urls"),
]


@pytest.fixture
def busy(calls, gate):
    """Have a run in progress until the gate opens; return its identifier."""
    run_id = calls.upload(units("first")).json()["runId"]
    gate.wait_for_a_run()
    yield run_id
    gate.open()
    background.finish_queued_runs()


def queued(answer):
    assert answer.status_code == 202, answer.content
    return answer.json()["runId"]


def test_a_run_waits_for_its_turn_and_shows_its_position(calls, busy, gate):
    upload = queued(calls.upload(units("a"), queue="true"))
    embedded = queued(
        calls.post("run", {"package": "demo-company", "dryRun": True, "queue": True})
    )
    run = calls.get(f"runs/{upload}").json()
    assert (run["status"], run["position"], run["report"]) == ("Queued", 1, None)
    assert (run["package"], run["finishedAt"]) == (None, None)
    assert run["progress"] == {"done": 0, "total": None}
    assert calls.get(f"runs/{embedded}").json()["position"] == 2
    assert calls.get(f"runs/{busy}").json()["position"] is None
    gate.open()
    background.finish_queued_runs()
    for run_id in (upload, embedded):
        run = calls.get(f"runs/{run_id}").json()
        assert (run["status"], run["position"]) == ("Completed", None)


def test_queued_runs_are_listed_with_their_positions(
    calls, busy, django_assert_num_queries
):
    runs = [queued(calls.upload(units(code), queue="true")) for code in "abc"]
    with django_assert_num_queries(4):
        listed = calls.get("runs", status="Queued").json()
    assert {run["runId"]: run["position"] for run in listed} == {
        run: number for number, run in enumerate(runs, 1)
    }
    everything = calls.get("runs").json()
    assert {run["runId"] for run in everything} == {busy, *runs}


def test_a_queued_run_can_be_cancelled(calls, busy, gate):
    run_id = queued(calls.upload(units("a"), queue="true"))
    assert calls.post(f"runs/{run_id}/cancel").status_code == 202
    run = calls.get(f"runs/{run_id}").json()
    assert (run["status"], run["position"]) == ("Interrupted", None)
    assert run["finishedAt"] is not None
    assert calls.post(f"runs/{run_id}/cancel").status_code == 409
    gate.open()
    background.finish_queued_runs()
    assert [unit.code for unit in model_of("UnitsOfMeasure").objects.all()] == ["first"]


def test_a_plan_waits_too(calls, gate):
    gate.opened.set()
    planned = calls.ended(calls.upload(units("a"), dryRun="true"))["runId"]
    gate.opened.clear()
    calls.upload(units("first"))
    gate.wait_for_a_run()
    plan = queued(calls.post("run", {"plan": planned, "queue": True}))
    assert calls.get(f"runs/{plan}").json()["status"] == "Queued"
    gate.open()
    background.finish_queued_runs()
    run = calls.get(f"runs/{plan}").json()
    assert (run["status"], run["kind"], run["basedOn"]) == (
        *("Completed", "plan", planned),
    )


def test_a_repeated_request_queues_one_run(calls, busy):
    key = {"Idempotency-Key": "once"}
    answers = [
        calls.upload(units("a"), queue="true", headers=key).json() for _ in range(2)
    ]
    assert answers[0] == answers[1]
    assert ImportRun.objects.filter(status="Queued").count() == 1


@pytest.mark.usefixtures("busy")
def test_without_queue_and_with_a_full_queue_the_response_is_409(calls, monkeypatch):
    monkeypatch.setattr(queueing, "MOST", 1)
    assert calls.upload(units("a"), queue="false").status_code == 409
    queued(calls.upload(units("a"), queue="true"))
    refusal = calls.upload(units("b"), queue="true")
    assert refusal.status_code == 409
    assert "waiting" in refusal.content.decode()
    assert refusal.json()["startedBy"] == "admin"


def test_a_queue_that_is_neither_true_nor_false_is_refused(calls):
    answer = calls.post("run", {"package": "demo-company", "queue": "later"})
    assert answer.status_code == 400
    assert "queue" in answer.content.decode()


def test_the_description_knows_the_status_and_the_position():
    described = SchemaGenerator().get_schema(public=True)["components"]["schemas"]
    position = described["ImportRun"]["properties"]["position"]
    assert (position["type"], position["minimum"]) == (["integer", "null"], 1)
    assert "Queued" in described["RunStatus"]["enum"]
    assert "queue" in described["RunEmbeddedRequest"]["properties"]
