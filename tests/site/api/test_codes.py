"""In bodies, a reference may be given by the code of its row."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from platform_site.accounts.models import User
from tests.catalogs.rows import a_folder, a_unit, an_item
from tests.documents.rows import World, a_documents_clerk, delete
from tests.site.api.callers import with_key

pytestmark = pytest.mark.django_db


@pytest.fixture
def world(db):
    return World()


def coded(code):
    return {"$code": code}


def an_order(*codes, **values):
    return {
        "date": "2026-03-01",
        "counterpartyId": coded("P"),
        "currencyId": coded("EUR"),
        "lines": [{"itemId": coded(c), "quantity": 1, "price": 1} for c in codes],
        **values,
    }


def refused(answer):
    body = answer.json()
    assert (answer.status_code, body["code"]) == (400, "invalid"), body
    return body["errorCodes"], body["errors"]


def test_rows_are_named_by_their_codes_wherever_an_id_would_be(employee, world):
    made = employee.post("/SalesOrders", an_order("RICE", "TEA"))
    assert made.status_code == 201, made.content
    row = made.json()
    assert row["counterpartyId"] == world.partner.pk
    assert [each["itemId"] for each in row["lines"]] == [world.rice.pk, world.tea.pk]
    path = f"/SalesOrders/{row['id']}"
    changed = employee.patch(path, {"warehouseId": coded("OTHER")}).json()
    assert changed["warehouseId"] == world.other.pk
    same = employee.patch(path, {"warehouseId": coded("OTHER")})
    assert same.json() == changed
    put = employee.put(path, an_order("TEA"))
    assert put.json()["warehouseId"] is None
    world.receipt((world.tea, 5, 1))
    copy = employee.post(
        f"{path}/create/GoodsIssues",
        {"overrides": {"warehouseId": coded("MAIN"), "comment": "x"}},
    )
    assert copy.json()["warehouseId"] == world.main.pk
    by_number = {"orderId": coded(row["code"])}
    issue = f"/GoodsIssues/{copy.json()['id']}"
    assert employee.patch(issue, by_number).json()["orderId"] == row["id"]
    a_folder(code="F")
    body = {"code": "G", "name": "G", "isFolder": True, "parentId": coded("F")}
    assert employee.made("/Items", **body)["parentId"]


def test_a_code_that_names_no_row_is_refused_where_it_is(employee, world):
    body = an_order("RICE", "RYCE", currencyId=coded("EU\u0000"))
    codes, errors = refused(employee.post("/SalesOrders", body))
    assert codes == {"lines[1].itemId": ["not-found"], "currencyId": ["not-found"]}
    assert errors["lines[1].itemId"] == ['There is no row with the code "RYCE".']
    lacking = {"code": "X", "unitOfMeasureId": coded("nothing")}
    codes, _errors = refused(
        employee.put(f"/Items/{world.rice.pk}", {**lacking, "isFolder": False})
    )
    assert codes == {"name": ["required"], "unitOfMeasureId": ["not-found"]}


@pytest.mark.parametrize(
    "value", [{"$code": 1}, {"$code": "P", "x": 1}, {"$ref": "P"}, {}, ["P"], True]
)
def test_another_object_is_no_reference(employee, world, value):
    body = an_order("RICE", counterpartyId=value)
    codes, errors = refused(employee.post("/SalesOrders", body))
    assert codes == {"counterpartyId": ["not-a-reference"]}
    assert '{"$code": "…"}' in errors["counterpartyId"][0]


def test_a_deleted_row_is_said_to_be_deleted_unless_another_has_its_code(employee):
    unit = a_unit(code="box", name="Box")
    delete(unit)
    item = {"isFolder": False, "name": "A", "category": "goods"}
    item["unitOfMeasureId"] = coded("box")
    codes, _errors = refused(employee.post("/Items", {**item, "code": "A"}))
    assert codes == {"unitOfMeasureId": ["row-deleted"]}
    another = a_unit(code="box", name="New box")
    made = employee.made("/Items", **item, code="A")
    assert made["unitOfMeasureId"] == another.pk


def test_who_may_not_view_rows_names_them_by_id_alone(world):
    clerk = a_documents_clerk("add_salesorder")
    caller = with_key(User.objects.get(pk=clerk.pk).username)
    codes, errors = refused(caller.post("/SalesOrders", an_order("RICE")))
    assert codes == {
        "counterpartyId": ["not-allowed"],
        "currencyId": ["not-allowed"],
        "lines[0].itemId": ["not-allowed"],
    }
    assert errors["lines[0].itemId"] == [
        "You may not view items, so you can't refer to them by code; send the id."
    ]
    body = an_order(
        counterpartyId=world.partner.pk,
        currencyId=world.eur.pk,
        lines=[{"itemId": world.rice.pk, "quantity": 1, "price": 1}],
    )
    assert caller.post("/SalesOrders", body).status_code == 201


@pytest.mark.counts
def test_many_codes_take_one_query(employee, world):
    counts = []
    for number in range(30):
        an_item(code=f"I{number}")
    for many in (1, 30):
        body = an_order(*(f"I{number}" for number in range(many)))
        with CaptureQueriesContext(connection) as queries:
            assert employee.post("/SalesOrders", body).status_code == 201
        counts.append(len([q for q in queries if '"catalogs_item"' in q["sql"]]))
    assert counts[0] == counts[1]
