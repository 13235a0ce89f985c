"""The undo of runs over HTTP."""

from __future__ import annotations

import pytest

from importer.runs.lock import IMPORT, import_lock
from tests.builders import model_of, units
from tests.importer import background
from tests.importer.api.conftest import Caller

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def calls(admin):
    yield Caller(admin)
    background.finish_runs()


@pytest.fixture
def done(run):
    return run(units("a", "b"))


def path(report):
    return f"runs/{report.run_id}/undo"


def test_a_run_is_undone_by_a_run_of_its_own(calls, done):
    planned = calls.ended(calls.post(path(done), {"dryRun": True}))
    assert (planned["basedOn"], planned["dryRun"]) == (str(done.run_id), True)
    assert planned["counts"] == {"Reverted": 2, "Kept": 0, "Blocked": 0, "Gone": 0}
    assert model_of("UnitsOfMeasure").objects.live().count() == 2
    undo = calls.ended(calls.post(path(done), {}))
    assert (undo["kind"], undo["package"]) == ("undo", "corpus.a")
    assert undo["status"] == "Completed"
    assert undo["progress"] == {"done": 2, "total": 2}
    assert undo["report"]["items"] == planned["report"]["items"]
    entry = undo["report"]["items"][0]
    assert (entry["id"], entry["outcome"]) == ("unit:b", "Reverted")
    assert (entry["step"], entry["index"]) == (None, None)
    assert not model_of("UnitsOfMeasure").objects.live().exists()
    listed = calls.get("runs").json()
    assert [one["basedOn"] for one in listed] == [str(done.run_id), None]
    assert "Inserted" in listed[1]["counts"]


def test_entries_are_filtered_by_the_outcomes_of_undo(calls, done):
    run_id = calls.ended(calls.post(path(done), {}))["runId"]
    kept = calls.get(f"runs/{run_id}", outcome="Kept").json()
    assert kept["report"]["items"] == []
    reverted = calls.get(f"runs/{run_id}", outcome="Reverted", limit=1).json()
    assert len(reverted["report"]["items"]) == 1


def test_refusals_have_a_status_and_a_sentence(calls, done):
    assert calls.post("runs/nonsense/undo", {}).status_code == 404
    assert calls.post(path(done), {"dryRun": "perhaps"}).status_code == 400
    assert calls.post(path(done), {"sure": True}).status_code == 400
    calls.ended(calls.post(path(done), {}))
    again = calls.post(path(done), {})
    assert again.status_code == 409
    assert "already" in again.json()["detail"]


def test_the_dry_run_of_an_undo_is_no_plan_of_an_import(calls, done):
    planned = calls.ended(calls.post(path(done), {"dryRun": True}))
    answer = calls.post("run", {"plan": planned["runId"]})
    assert answer.status_code == 409
    assert "dry run of an undo" in answer.json()["detail"]


def test_a_run_in_progress_comes_first(calls, done):
    with import_lock("admin", IMPORT):
        assert calls.post(path(done), {}).status_code == 409


def test_only_administrators_may_undo(clerk, done):
    answer = Caller(clerk("delete_unitofmeasure")).post(path(done), {})
    assert answer.status_code == 403
    assert model_of("UnitsOfMeasure").objects.live().count() == 2
