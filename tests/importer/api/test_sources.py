"""The endpoints of table sources: save, read, change and delete them."""

from __future__ import annotations

import json

import pytest

from importer.models import TableSource
from tests.importer.api.conftest import BASE, Caller

pytestmark = pytest.mark.django_db

COLUMNS = [
    {"property": "code", "column": "Artikelnummer"},
    {"property": "name", "column": "Bezeichnung"},
    {"property": "unitOfMeasureId", "column": "ME", "values": {"Stk": "pcs"}},
    {"property": "price", "column": "Preis €"},
    {"property": "isFolder", "default": False},
    {"property": "category", "default": "goods"},
]
PRICES = {
    "name": "supplier_17",
    "target": "Items",
    "columns": COLUMNS,
    "key": ["code"],
    "match": ["code"],
}


def send(calls, method, name, body=None, **headers):
    """Send a body to a source."""
    content = "" if body is None else json.dumps(body)
    return calls.client.generic(
        method,
        f"{BASE}/sources/{name}",
        content,
        content_type="application/json",
        headers=headers,
    )


@pytest.fixture
def saved(calls):
    """Save the price list and return the response."""
    answer = calls.post("sources", PRICES)
    assert answer.status_code == 201, answer.content
    return answer


def test_a_saved_source_is_returned_whole(calls, saved):
    assert saved["Location"] == f"{BASE}/sources/supplier_17"
    assert saved["ETag"] == '"1"'
    found = calls.client.get(saved["Location"])
    assert found.json() == saved.json() == calls.get("sources").json()[0]
    assert found.json() == {
        **PRICES,
        "kind": "dictionary",
        **dict.fromkeys(
            ["format", "encoding", "delimiter", "decimal", "dateFormat", "sheet"]
        ),
        "headerRow": None,
        "groupBy": [],
        "onChange": None,
        "onUserModified": None,
        "onMissing": None,
        "origin": None,
        "enabled": True,
    }


def test_what_is_read_can_be_sent_back(calls, saved):
    answer = send(calls, "PATCH", "supplier_17", saved.json())
    assert (answer.status_code, answer.json()) == (200, saved.json())


def test_only_what_is_given_changes(calls, saved):
    origin = {"url": "https://supplier.example/prices.csv"}
    given = {"decimal": ",", "enabled": False, "origin": origin}
    answer = send(calls, "PATCH", "supplier_17", given)
    assert answer.status_code == 200
    assert answer.json() == {**saved.json(), **given}
    assert answer["ETag"] == '"2"'
    answer = send(calls, "PATCH", "supplier_17", {"decimal": None, "origin": None})
    assert answer.json() == {**saved.json(), "enabled": False}


def test_a_fraction_is_kept_as_a_number(calls, saved):
    columns = [*COLUMNS[:3], {"property": "price", "default": 1.5}]
    answer = send(calls, "PATCH", "supplier_17", {"columns": columns})
    assert answer.status_code == 200, answer.content
    assert answer.json()["columns"][3] == {"property": "price", "default": 1.5}


def test_another_target_may_be_of_another_kind(calls, saved):
    columns = [
        {"property": "code", "column": "No"},
        {"property": "lines.itemId", "column": "Item"},
    ]
    given = {"target": "SalesOrders", "columns": columns, "match": []}
    answer = send(
        calls, "PATCH", "supplier_17", {**given, "key": [], "groupBy": ["code"]}
    )
    assert answer.status_code == 200, answer.content
    assert answer.json()["kind"] == "document"


@pytest.mark.parametrize("method", ["PATCH", "DELETE"])
def test_a_source_that_somebody_else_changed_is_kept(calls, saved, method):
    body = {"decimal": "."} if method == "PATCH" else None
    send(calls, "PATCH", "supplier_17", {"decimal": ","})
    answer = send(calls, method, "supplier_17", body, **{"If-Match": saved["ETag"]})
    assert (answer.status_code, answer.json()["code"]) == (412, "changed-meanwhile")
    assert answer.json()["version"] == 2
    assert TableSource.objects.get().description["decimal"] == ","
    answer = send(calls, method, "supplier_17", body, **{"If-Match": '"2"'})
    assert answer.status_code in (200, 204)


def test_a_deleted_source_is_gone(calls, saved):
    assert send(calls, "DELETE", "supplier_17").status_code == 204
    assert calls.get("sources").json() == []
    for method, body in (("GET", None), ("PATCH", {}), ("DELETE", None)):
        assert send(calls, method, "supplier_17", body).status_code == 404


def test_a_similar_name_is_suggested(calls, saved):
    answer = calls.get("sources/suplier_17")
    assert answer.status_code == 404
    assert "supplier_17" in answer.json()["detail"]


@pytest.mark.parametrize(
    ("changed", "property"),
    [
        ({"name": "price list"}, "name"),
        ({"name": "17"}, "name"),
        ({"name": "ä"}, "name"),
        ({"name": "a" * 61}, "name"),
        ({"name": None}, "name"),
        ({"name": 17}, "name"),
        ({"name": "detect"}, "name"),
        ({"name": "items"}, "name"),
        ({"name": "ImportItemsFromCsv"}, "name"),
        ({"target": "Item"}, "target"),
        ({"target": None}, "target"),
        ({"kind": "document"}, "kind"),
        ({"format": "ods"}, "format"),
        ({"encoding": "klingon"}, "encoding"),
        ({"delimiter": ";;"}, "delimiter"),
        ({"decimal": ";"}, "decimal"),
        ({"dateFormat": "Q"}, "dateFormat"),
        ({"headerRow": -1}, "headerRow"),
        ({"columns": []}, "columns"),
        ({"columns": "code"}, "columns"),
        ({"columns": [{"property": "code", "colum": "x"}]}, "columns[0].colum"),
        ({"key": ["prise"]}, "key"),
        ({"onMissing": "destroy"}, "onMissing"),
        ({"enabled": "yes"}, "enabled"),
        ({"origin": "https://example.org"}, "origin"),
        ({"origin": {"url": "http://example.org"}}, "origin.url"),
        ({"origin": {"url": "https://u:p@example.org"}}, "origin.url"),
        ({"origin": {"url": "https://[x"}}, "origin.url"),
        ({"origin": {"folder": "/in"}}, "origin.user"),
        ({"origin": {"folder": "/in", "user": "a", "url": "https://x"}}, "origin.user"),
        ({"columns": [{"property": "code", "column": "a\0"}]}, "columns"),
        ({"columns": [{"property": "price", "default": 10**30}]}, "columns"),
        ({"target": ["Items"]}, "target"),
        ({"sheets": 1}, "sheets"),
        ({"version": 3}, "version"),
    ],
)
def test_a_wrong_property_is_named(calls, changed, property):
    answer = calls.post("sources", {**PRICES, **changed})
    assert answer.status_code == 400, answer.content
    assert property in answer.json()["errors"]
    assert not TableSource.objects.exists()


@pytest.mark.parametrize("body", [None, [], "x", 1])
def test_a_body_that_is_no_object_is_refused(calls, body, db):
    assert calls.post("sources", body).status_code == 400


def test_a_name_is_taken_whatever_its_case(calls, saved):
    answer = calls.post("sources", {**PRICES, "name": "Supplier_17"})
    assert answer.status_code == 400
    assert "another source" in answer.json()["errors"]["name"][0].lower()


def test_a_name_does_not_change(calls, saved):
    answer = send(calls, "PATCH", "supplier_17", {"name": "supplier_18"})
    assert [*answer.json()["errors"]] == ["name"]


def test_the_same_request_saves_one_source(calls, db):
    bodies = [
        calls.client.post(
            f"{BASE}/sources", PRICES, format="json", headers={"Idempotency-Key": "a"}
        )
        for _time in range(2)
    ]
    assert [one.status_code for one in bodies] == [201, 201]
    assert TableSource.objects.count() == 1


def test_sources_are_for_those_who_may_import(clerk, saved):
    calls = Caller(clerk("add_item", "view_item"))
    assert calls.get("sources").status_code == 403
    for method, body in (("GET", None), ("PATCH", {}), ("DELETE", None)):
        assert send(calls, method, "supplier_17", body).status_code == 403
    for path in ("sources", "sources/detect", "sources/supplier_17/run"):
        assert calls.post(path, {}).status_code == 403
