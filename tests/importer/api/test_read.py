"""Watching, reading and stopping runs over HTTP, and the rights to do so."""

from __future__ import annotations

import json
from uuid import UUID

import pytest
from django.contrib.auth.models import Group
from drf_spectacular.generators import SchemaGenerator
from jsonschema import ValidationError, validate

from importer.models import ImportRun
from importer.services import package_schema
from platform_site.accounts.models import User
from tests.builders import a_package, units
from tests.importer.api.conftest import Caller
from tests.importer.background import finish_runs

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.urls("tests.importer.api.urls"),
]
OUTCOMES = [
    *("Inserted", "Unchanged", "Updated", "Adopted", "Restored"),
    *("SkippedUserModified", "SkippedDrift", "SkippedDeleted", "Failed"),
]
NO_RUN = str(UUID(int=7))
ENDPOINTS = [
    ("get", "packages"),
    ("get", "schema"),
    ("post", "run"),
    ("get", "runs"),
    ("get", f"runs/{NO_RUN}"),
    ("post", f"runs/{NO_RUN}/cancel"),
]


@pytest.mark.parametrize("serializer", ["ImportEntry", "ImportOwner"])
@pytest.mark.parametrize("key", [112, NO_RUN], ids=["number", "uuid"])
def test_the_description_allows_every_kind_of_key(serializer, key):
    described = SchemaGenerator().get_schema(public=True)["components"]["schemas"]
    allowed = described[serializer]["properties"]["rowId"]
    validate(None, allowed)
    validate(key, allowed)
    with pytest.raises(ValidationError):
        validate(1.5, allowed)


def test_a_running_run_shows_its_progress_and_no_report(calls, gate):
    run_id = calls.upload(units("a")).json()["runId"]
    gate.wait_for_a_run()
    run = calls.get(f"runs/{run_id}").json()
    assert (run["status"], run["report"], run["finishedAt"]) == ("Running", None, None)
    assert list(run["counts"]) == OUTCOMES
    assert run["progress"] == {"done": 0, "total": 1}
    (listed,) = calls.get("runs").json()
    assert listed == {name: value for name, value in run.items() if name != "report"}


def test_a_run_that_has_ended_shows_everything(calls):
    """OPEN-36."""
    package = units("a").item("unit:b", code="a", name="taken")
    run = calls.ended(calls.upload(package, continueOnError="true"))
    report = run.pop("report")
    assert set(run) == {
        *("runId", "package", "version", "origin", "status", "dryRun", "kind"),
        *("continueOnError", "startedBy", "startedAt", "finishedAt", "hasErrors"),
        *("basedOn", "counts", "progress", "position"),
    }
    assert run["progress"] == {"done": 2, "total": 2}
    assert set(report) == {
        *("runId", "counts", "items", "problems", "diagnostics", "hasErrors")
    }
    (problem,) = report["problems"]
    assert set(problem) == {
        *("code", "message", "property", "value", "count", "dependants", "first"),
        *("owner", "remedy"),
    }
    assert set(problem["first"]) == {"path", "line", "column", "id", "name"}
    assert (report["runId"], report["hasErrors"]) == (run["runId"], True)
    assert list(report["counts"]) == OUTCOMES
    good, bad = report["items"]
    row_id = good.pop("rowId")
    assert isinstance(row_id, int)
    assert good == {
        "id": "unit:a",
        "name": "a a",
        "line": 1,
        "step": 0,
        "index": 0,
        "target": "UnitsOfMeasure",
        "outcome": "Inserted",
        "message": "",
        "changes": None,
        "differences": None,
        "conflicts": None,
        "kept": None,
    }
    assert bad["message"].startswith("steps[0].items[1].code: ")


@pytest.mark.parametrize("dry_run", ["true", "false"])
def test_changes_show_before_and_after(calls, dry_run):
    calls.ended(calls.upload(a_package().with_step("UnitsOfMeasure").unit("u", "kg")))
    changed = a_package().with_step("UnitsOfMeasure").unit("u", "kg", name="x" * 250)
    run = calls.ended(calls.upload(changed, dryRun=dry_run))
    (item,) = run["report"]["items"]
    assert item["outcome"] == "Updated"
    assert item["changes"] == {"name": ["kg", "x" * 200 + "…"]}
    assert isinstance(item["rowId"], int)


def test_the_report_can_be_filtered_by_the_query(calls):
    package = units("a", "b", "c").item("unit:d", code="a", name="taken")
    run_id = calls.ended(calls.upload(package, continueOnError="true"))["runId"]

    def ids(**query):
        report = calls.get(f"runs/{run_id}", **query).json()["report"]
        assert report["counts"]["Inserted"] == 3
        return [item["id"] for item in report["items"]]

    assert ids(outcome="Failed") == ["unit:d"]
    assert ids(offset=1, limit=2) == ["unit:b", "unit:c"]
    assert ids(search="UNIT:C") == ["unit:c"]
    assert ids(outcome="Inserted", search="d") == []
    assert ids(search="", outcome="") == ["unit:a", "unit:b", "unit:c", "unit:d"]


@pytest.mark.parametrize(
    ("query", "named"),
    [
        ({"outcome": "Wrong"}, "outcome"),
        ({"offset": "-1"}, "offset"),
        ({"limit": "many"}, "limit"),
        ({"limit": "9" * 50}, "limit"),
        ({"search": "a\0"}, "search"),
    ],
)
def test_a_wrong_query_is_refused_by_name(calls, query, named):
    run_id = calls.ended(calls.upload(units("a")))["runId"]
    answer = calls.get(f"runs/{run_id}", **query)
    assert answer.status_code == 400
    assert named in answer.content.decode()


def test_a_long_report_is_streamed_completely(calls):
    package = units(*(f"u{number}" for number in range(2500)))
    location = calls.upload(package, dryRun="true")["Location"]
    finish_runs()
    answer = calls.client.get(location)
    assert answer.streaming
    run = json.loads(b"".join(answer.streaming_content))
    items = run["report"]["items"]
    assert [item["index"] for item in items] == list(range(2500))
    page = calls.client.get(location, {"offset": 2400}).json()["report"]["items"]
    assert page == items[2400:]


def test_runs_are_listed_newest_first_by_package(calls):
    """OPEN-49."""
    one = calls.ended(calls.upload(units("a")))["runId"]
    two = calls.ended(calls.upload(units("b", package="corpus.b")))["runId"]
    three = calls.ended(calls.upload(units("a")))["runId"]
    calls.ended(calls.upload(units("a"), dryRun="true"))

    def listed(**query):
        return [run["runId"] for run in calls.get("runs", **query).json()]

    assert listed() == listed(package="") == [three, two, one]
    assert listed(package="corpus.a") == [three, one]
    assert listed(package="corpus.unknown") == []
    assert calls.get("runs", package="a\0b").status_code == 400
    assert "report" not in calls.get("runs").json()[0]


def test_a_dry_run_is_not_in_the_history_but_can_be_read(calls):
    """IMP-145."""
    run = calls.ended(calls.upload(units("a"), dryRun="true"))
    assert (run["dryRun"], run["report"]["items"][0]["outcome"]) == (True, "Inserted")
    assert calls.get("runs").json() == []


@pytest.mark.parametrize("run_id", [NO_RUN, "no-uuid", "1", "%00", "{}"])
def test_an_unknown_run_is_not_found(calls, run_id):
    assert calls.get(f"runs/{run_id}").status_code == 404
    assert calls.post(f"runs/{run_id}/cancel").status_code == 404


@pytest.mark.usefixtures("stored_at_once")
def test_a_run_is_cancelled_between_two_objects(calls, gate):
    started = calls.upload(units("a", "b", "c"))
    run_id = started.json()["runId"]
    gate.wait_for_a_run()
    answer = calls.post(f"runs/{run_id}/cancel")
    assert (answer.status_code, answer.json()) == (202, {"runId": run_id})
    gate.open()
    run = calls.ended(started)
    assert (run["status"], run["counts"]["Inserted"]) == ("Interrupted", 1)
    again = calls.post(f"runs/{run_id}/cancel")
    assert again.status_code == 409
    assert "already ended" in again.content.decode()


def test_the_embedded_packages_are_listed(calls):
    """IMP-253, OPEN-36."""
    listed = calls.get("packages").json()
    demo = next(one for one in listed if one["package"] == "demo-company")
    assert demo == {
        "package": "demo-company",
        "version": demo["version"],
        "origin": "demoSeed",
        "configuration": "Trade",
        "appliedVersion": None,
        "appliedAt": None,
        "error": None,
    }
    run = calls.ended(calls.post("run", {"package": "demo-company"}))
    applied = next(
        one for one in calls.get("packages").json() if one["package"] == "demo-company"
    )
    assert applied["appliedVersion"] == demo["version"] == run["version"]
    assert applied["appliedAt"] == run["finishedAt"]


@pytest.mark.parametrize(
    "accept", ["*/*", "application/schema+json", "application/json"]
)
def test_the_schema_has_its_own_content_type(calls, accept):
    answer = calls.client.get("/api/v1/Import/schema", headers={"Accept": accept})
    assert answer["Content-Type"].partition(";")[0] == "application/schema+json"
    assert answer.json() == package_schema()


@pytest.mark.parametrize(("method", "path"), ENDPOINTS)
def test_the_endpoints_are_for_administrators_only(method, path, clerk, db):
    """IMP-251."""
    may_write = clerk("add_unitofmeasure", "add_item")
    assert getattr(Caller(), method)(path).status_code in (401, 403)
    assert getattr(Caller(may_write), method)(path).status_code == 403
    may_write.groups.add(Group.objects.get(name="admin"))
    administrator = User.objects.get(pk=may_write.pk)
    assert getattr(Caller(administrator), method)(path).status_code not in (401, 403)
    administrator.is_active = False
    assert getattr(Caller(administrator), method)(path).status_code == 403


@pytest.mark.parametrize(("method", "path"), ENDPOINTS)
def test_other_methods_are_not_allowed(calls, method, path):
    other = "put" if method == "post" else "delete"
    assert getattr(calls.client, other)(f"/api/v1/Import/{path}").status_code == 405


def test_the_run_of_a_deleted_user_keeps_the_name(calls, clerk):
    user = clerk("add_unitofmeasure")
    user.groups.add(Group.objects.get(name="admin"))
    user = User.objects.get(pk=user.pk)
    run = calls.ended(Caller(user).upload(units("a")))
    User.objects.filter(pk=user.pk).delete()
    assert ImportRun.objects.get().started_by is None
    assert calls.get(f"runs/{run['runId']}").json()["startedBy"] == "clerk"
