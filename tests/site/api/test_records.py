"""Catalogs over HTTP: lists, single rows, versions, deleting and restoring."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from platform_site.records import services
from platform_site.records.errors import Stale
from tests.catalogs.rows import a_folder, a_unit, an_item
from tests.documents.rows import World
from tests.site.api.callers import Caller, a_user, with_token

pytestmark = pytest.mark.django_db


def codes(answer):
    assert answer.status_code == 200, answer.content
    return [row["code"] for row in answer.json()["results"]]


def content(answer):
    """Return the properties of a row without its version and times."""
    state = ("version", "createdAt", "modifiedAt")
    return {name: v for name, v in answer.json().items() if name not in state}


@pytest.fixture
def units(db):
    return [a_unit(code=code, name=f"Unit {code}") for code in ("a", "b", "c")]


def test_a_list_comes_in_pages(reader, units):
    first = reader.get("/UnitsOfMeasure?pageSize=2").json()
    assert first["count"] == 3
    assert first["previous"] is None
    assert [row["code"] for row in first["results"]] == ["a", "b"]
    rest = reader.client.get(first["next"], headers=reader.headers)
    assert codes(rest) == ["c"]
    assert reader.get("/UnitsOfMeasure?page=9").status_code == 404


def test_a_list_is_searched_ordered_and_narrowed(reader):
    folder = a_folder(code="F", name="Fruit")
    an_item(code="A", name="Apple", price="1.50", parentId=folder.pk)
    an_item(code="B", name="Banana", price="2.50", parentId=folder.pk)
    an_item(code="C", name="Chisel", price="20")
    assert codes(reader.get("/Items?search=APPLE")) == ["A"]
    assert codes(reader.get("/Items?ordering=-code")) == ["F", "C", "B", "A"]
    assert codes(reader.get(f"/Items?parentId={folder.pk}&ordering=price")) == [
        "A",
        "B",
    ]
    assert codes(reader.get("/Items?parentId=null")) == ["C", "F"]
    assert codes(reader.get("/Items?isFolder=true")) == ["F"]
    assert codes(reader.get("/Items?price=1.5")) == ["A"]
    assert codes(reader.get("/Items?priceFrom=2&priceTo=20.00")) == ["B", "C"]
    assert codes(reader.get("/Items?code=a")) == []


@pytest.mark.parametrize(
    "query",
    [
        "price=cheap",
        "price=1e400",
        "isFolder=perhaps",
        "parentId=x",
        "category=sausage",
        "ordering=colour",
        "deleted=maybe",
        "page=0",
        "page=9999999999999999999999",
        "pageSize=1001",
        "code=%00",
        "search=%00",
    ],
)
def test_a_wrong_query_is_refused_by_the_name_of_its_parameter(reader, query):
    answer = reader.get(f"/Items?{query}")
    assert answer.status_code == 400
    assert set(answer.json()["errors"]) == {query.partition("=")[0]}


@pytest.mark.counts
@pytest.mark.parametrize("path", ["/Items", "/SalesOrders"])
def test_a_longer_list_takes_no_more_queries(reader, path, world_of_documents):
    counts = []
    for size in (1, 20):
        with CaptureQueriesContext(
            connection,
        ) as queries:
            assert len(reader.get(f"{path}?pageSize={size}").json()["results"]) == size
        counts.append(len(queries))
    assert counts[0] == counts[1]


@pytest.fixture
def world_of_documents(db):
    world = World()
    for number in range(20):
        an_item(code=f"I{number}")
        world.order((world.rice, number + 1, 1), (world.tea, 1, 1))
    return world


def test_a_row_is_created_read_changed_and_replaced(employee):
    made = employee.post("/Currencies", {"code": "EUR", "name": "Euro", "symbol": "€"})
    assert made.status_code == 201
    assert made["ETag"] == '"1"'
    path = f"/Currencies/{made.json()['id']}"
    assert employee.get(path).json() == made.json()
    changed = employee.patch(path, {"minorUnits": 2})
    assert changed["ETag"] == '"2"'
    assert content(changed) == {**content(made), "minorUnits": 2}
    replaced = employee.put(path, {"code": "EUR", "name": "The euro"})
    assert content(replaced) == {
        "id": made.json()["id"],
        "code": "EUR",
        "name": "The euro",
        "symbol": "",
        "minorUnits": None,
    }
    lacking = employee.put(path, {"code": "EUR"})
    assert lacking.status_code == 400
    assert set(lacking.json()["errors"]) == {"name"}


def test_what_is_read_can_be_sent_back(employee):
    item = an_item(price="1.25", barcode="123")
    path = f"/Items/{item.pk}"
    read = employee.get(path)
    answer = employee.put(path, read.json())
    assert answer.json() == read.json()
    assert answer["ETag"] == read["ETag"]


def test_of_two_writes_on_the_same_version_the_second_is_refused(employee, units):
    path = f"/UnitsOfMeasure/{units[0].pk}"
    tag = employee.get(path)["ETag"]
    assert employee.patch(path, {"name": "One"}, If_Match=tag).status_code == 200
    refused = employee.patch(path, {"name": "Two"}, If_Match=tag)
    assert refused.status_code == 412
    assert "changed" in refused.json()["detail"]
    assert employee.delete(path, If_Match=tag).status_code == 412
    assert employee.get(path).json()["name"] == "One"


@pytest.mark.parametrize(
    ("tag", "code"),
    [("*", 200), ('"7", "1"', 200), ('W/"1"', 412), ("1", 412), ("", 412)],
)
def test_tags_are_compared_as_http_says(employee, units, tag, code):
    path = f"/UnitsOfMeasure/{units[0].pk}"
    assert employee.patch(path, {"name": "x"}, If_Match=tag).status_code == code


def test_without_a_version_the_last_write_wins(employee, units, monkeypatch):
    ordinary, calls = services.update_record, []

    def slower_than_another(**order):
        calls.append(order)
        if len(calls) == 1:
            raise Stale
        return ordinary(**order)

    monkeypatch.setattr(services, "update_record", slower_than_another)
    path = f"/UnitsOfMeasure/{units[0].pk}"
    assert employee.patch(path, {"name": "Last"}).json()["name"] == "Last"
    assert len(calls) == 2


def test_a_row_in_use_is_not_deleted_and_its_users_are_named(employee):
    unit = a_unit(code="kg", name="Kilogram")
    an_item(code="A", name="Apple", unitOfMeasureId=unit.pk)
    answer = employee.delete(f"/UnitsOfMeasure/{unit.pk}")
    assert answer.status_code == 409
    assert "Apple" in answer.json()["detail"]


def test_a_deleted_row_is_listed_apart_and_comes_back(employee, units):
    path = f"/UnitsOfMeasure/{units[0].pk}"
    assert employee.delete(path).status_code == 204
    assert employee.get(path).status_code == 410
    assert employee.patch(path, {"name": "x"}).status_code == 410
    assert codes(employee.get("/UnitsOfMeasure")) == ["b", "c"]
    assert codes(employee.get("/UnitsOfMeasure?deleted=true")) == ["a"]
    assert employee.get(f"{path}?deleted=true").status_code == 200
    assert employee.post(f"{path}/restore").status_code == 200
    assert employee.get(path).status_code == 200


def test_a_row_whose_code_was_taken_does_not_come_back(employee, units):
    path = f"/UnitsOfMeasure/{units[0].pk}"
    employee.delete(path)
    employee.made("/UnitsOfMeasure", code="a", name="Another")
    answer = employee.post(f"{path}/restore")
    assert answer.status_code == 400
    assert set(answer.json()["errors"]) == {"code"}


def test_a_taken_code_is_said_at_the_property(employee, units):
    answer = employee.post("/UnitsOfMeasure", {"code": "a", "name": "x"})
    assert answer.status_code == 400
    assert set(answer.json()["errors"]) == {"code"}


def test_rights_are_those_of_the_roles(reader, employee, units):
    path = f"/UnitsOfMeasure/{units[0].pk}"
    assert reader.get(path).status_code == 200
    for answer in (
        reader.post("/UnitsOfMeasure", {"code": "x", "name": "x"}),
        reader.patch(path, {"name": "x"}),
        reader.put(path, {"name": "x"}),
        reader.delete(path),
        reader.post(f"{path}/restore"),
        # Not betrayed by its absence either.
        reader.delete("/UnitsOfMeasure/987654"),
    ):
        assert answer.status_code == 403
        assert answer.json()["detail"].startswith("rita may not")
    a_user("nina")
    assert with_token("nina").get(path).status_code == 403
    assert Caller().get(path).status_code == 401


def test_paths_answer_in_lower_case_and_with_a_slash_too(employee, units):
    """OPEN-56."""
    assert codes(employee.get("/unitsofmeasure/")) == ["a", "b", "c"]
    assert employee.get(f"/unitsofmeasure/{units[0].pk}/").status_code == 200
    body = {"code": "x", "name": "x"}
    assert employee.post("/unitsofmeasure/", body).status_code == 201


def test_a_day_begins_where_the_caller_is(employee):
    world = World()
    body = {
        "date": "2026-07-01",
        "counterpartyId": world.partner.pk,
        "currencyId": world.eur.pk,
        "lines": [{"itemId": world.rice.pk, "quantity": "1", "price": "1"}],
    }
    in_utc = employee.post("/SalesOrders", body)
    assert in_utc.json()["date"] == "2026-07-01T00:00:00Z"
    in_header = employee.post("/SalesOrders", body, X_Time_Zone="Europe/Berlin")
    assert in_header.json()["date"] == "2026-07-01T00:00:00+02:00"
    employee.patch("/Account", {"timeZone": "Asia/Tokyo"})
    in_profile = employee.post("/SalesOrders", body)
    assert in_profile.json()["date"] == "2026-07-01T00:00:00+09:00"
    unknown = employee.post("/SalesOrders", body, X_Time_Zone="Mars")
    assert set(unknown.json()["errors"]) == {"X-Time-Zone"}


def test_the_zone_of_a_request_ends_with_it(employee):
    # A thread of the server answers somebody else next.
    assert employee.get("/SalesOrders", X_Time_Zone="Asia/Tokyo").status_code == 200
    assert timezone.get_current_timezone_name() == "UTC"
