"""Acting on runs over HTTP: carrying out a plan, and deciding about kept rows."""

from __future__ import annotations

from uuid import uuid4

import pytest

from tests.builders import code, edit_row, row_of, units
from tests.importer.api.conftest import Caller

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.urls("tests.importer.api.urls"),
]


def goods(**prices):
    package = units("pcs").with_step("Items")
    for name, price in prices.items():
        package.goods(f"item:{name}", name, code("pcs"), price=price)
    return package


@pytest.fixture
def kept(calls, admin):
    """Return a run that kept two rows."""
    calls.ended(calls.upload(goods(A="1", B="1")))
    for name in "AB":
        edit_row(row_of("Items", name), actor=admin, price="7")
    return calls.ended(calls.upload(goods(A="2", B="2")))["runId"]


def entries(run):
    return {e["id"]: e["outcome"] for e in run["report"]["items"]}


def test_the_plan_of_a_dry_run_is_carried_out(calls, admin):
    calls.ended(calls.upload(goods(A="1", B="1")))
    planned = calls.ended(calls.upload(goods(A="2", B="2"), dryRun="true"))
    edit_row(row_of("Items", "B"), actor=admin, price="7")
    done = calls.ended(calls.post("run", {"plan": planned["runId"]}))
    assert (done["kind"], done["basedOn"]) == ("plan", planned["runId"])
    assert entries(done)["item:A"] == "Updated"
    assert entries(done)["item:B"] == "SkippedUserModified"
    again = calls.post("run", {"plan": planned["runId"]})
    told = again.json()
    assert (again.status_code, told["code"]) == (409, "plan-stale")
    assert (told["runId"], told["moved"]) == (planned["runId"], 2)


@pytest.mark.parametrize(
    ("body", "named"),
    [
        ({}, "package"),
        ({"plan": "x"}, "plan"),
        ({"plan": None}, "plan"),
        ({"plan": str(uuid4()), "package": "demo-company"}, "package"),
        ({"plan": str(uuid4()), "dryRun": True}, "dryRun"),
        ({"plan": str(uuid4()), "timeZone": "Europe/Riga"}, "timeZone"),
    ],
)
def test_a_request_names_a_package_or_a_plan(calls, body, named):
    answer = calls.post("run", body)
    assert answer.status_code == 400
    assert list(answer.json()["errors"]) == [named]


def test_a_run_without_a_plan_is_told_apart_from_an_unknown_one(calls):
    assert calls.post("run", {"plan": str(uuid4())}).status_code == 404
    done = calls.ended(calls.upload(goods(A="1")))
    answer = calls.post("run", {"plan": done["runId"]})
    assert answer.status_code == 409
    assert "Only a dry run has a plan" in answer.content.decode()


def test_the_packages_values_are_taken_by_a_run(calls, kept):
    body = {"items": ["item:A"], "take": "package"}
    done = calls.ended(calls.post(f"runs/{kept}/decide", body))
    assert entries(done) == {"item:A": "Updated"}
    assert (done["kind"], done["basedOn"]) == ("decision", kept)
    assert row_of("Items", "A").price == 2


def test_rows_keep_their_own_values_at_once(calls, kept):
    body = {"outcome": "SkippedUserModified", "take": "mine"}
    answer = calls.post(f"runs/{kept}/decide", body)
    assert (answer.status_code, answer.json()) == (200, {"decided": 2})
    again = calls.ended(calls.upload(goods(A="2", B="2")))
    assert set(entries(again).values()) == {"Unchanged"}
    assert row_of("Items", "A").price == 7


@pytest.mark.parametrize(
    ("body", "named"),
    [
        ({}, "take"),
        ({"take": "both"}, "take"),
        ({"take": "mine", "items": "item:A"}, "items"),
        ({"take": "mine", "items": [7]}, "items"),
        ({"take": "mine", "outcome": "Inserted"}, "outcome"),
        ({"take": "mine", "all": True}, "all"),
    ],
)
def test_a_wrong_decision_is_refused_with_its_property(calls, kept, body, named):
    answer = calls.post(f"runs/{kept}/decide", body)
    assert answer.status_code == 400
    assert named in str(answer.json()["errors"])


def test_a_wrong_item_is_shown_in_its_message(calls, kept):
    body = {"take": "mine", "items": ["item:A", 7]}
    errors = calls.post(f"runs/{kept}/decide", body).json()["errors"]
    assert errors == {"items[1]": ["7 isn't a string: give text in quotation marks."]}


def test_a_decision_needs_a_kept_row(calls, kept):
    body = {"items": ["item:Z"], "take": "mine"}
    answer = calls.post(f"runs/{kept}/decide", body)
    assert answer.status_code == 409
    assert "item:Z" in answer.content.decode()
    assert calls.post(f"runs/{uuid4()}/decide", body).status_code == 404
    assert calls.post("runs/none/decide", body).status_code == 404


def test_only_who_may_import_decides(calls, kept, clerk):
    body = {"items": ["item:A"], "take": "mine"}
    answer = Caller(clerk("change_item")).post(f"runs/{kept}/decide", body)
    assert answer.status_code == 403
