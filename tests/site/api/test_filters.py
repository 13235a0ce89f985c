"""Filters with operators, references by code, and references expanded in place."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from platform_site.accounts.models import User
from tests.catalogs.rows import a_folder, a_unit, an_item
from tests.documents.rows import World, a_documents_clerk
from tests.site.api.callers import with_key

pytestmark = pytest.mark.django_db


def codes(answer):
    assert answer.status_code == 200, answer.content
    return [row["code"] for row in answer.json()["results"]]


@pytest.fixture
def tools(db):
    folder = a_folder(code="T", name="Tools")
    an_item(code="A-1", name="Axe 100%", price="1.50", parentId=folder.pk)
    an_item(code="B-1", name="Übermut", price="2.50", parentId=folder.pk)
    an_item(code="B-2", name="Brush", price=None, category="service")
    return folder


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("codeIn=A-1,B-2,nothing", ["A-1", "B-2"]),
        ("codeStartsWith=b-", ["B-1", "B-2"]),
        ("nameContains=UT", ["B-1"]),
        ("nameStartsWith=über", ["B-1"]),
        ("nameContains=0%25", ["A-1"]),
        ("nameContains=_", []),
        ("priceIn=1.5,2.5000", ["A-1", "B-1"]),
        ("priceFrom=2", ["B-1"]),
        ("categoryIn=service", ["B-2"]),
        ("parent.code=T", ["A-1", "B-1"]),
        ("parent.code=t", []),
        ("parentIdIn=null", ["B-2", "T"]),
        ("parentIdIn=null,{folder}", ["A-1", "B-1", "B-2", "T"]),
        ("idIn={folder}", ["T"]),
        ("idTo={folder}", ["T"]),
        ("modifiedFrom=2001-01-01&modifiedTo=2001-01-02T00:00:00Z", []),
        ("createdFrom=2001-01-01&ordering=createdAt", ["T", "A-1", "B-1", "B-2"]),
        ("codeStartsWith=B&priceIn=2.50", ["B-1"]),
    ],
)
def test_filters_leave_the_rows_that_match(reader, tools, query, found):
    path = f"/Items?ordering=code&{query.format(folder=tools.pk)}"
    if "ordering" in query:
        path = f"/Items?{query}"
    assert codes(reader.get(path)) == found


@pytest.mark.parametrize(
    "query",
    [
        "priceIn=1,x",
        "idIn=",
        "parentIdIn=1,,2",
        "categoryIn=goods,sausage",
        "modifiedFrom=yesterday",
        "nameContains=%00",
        "parent.code=%00",
        "idFrom=1e3",
        "expand=parent",
        "expand=",
        "expand=parentId,lines.itemId",
        "idIn=" + "1," * 1000 + "1",
    ],
)
def test_a_wrong_value_is_refused_by_the_name_of_its_parameter(reader, query):
    answer = reader.get(f"/Items?{query}")
    assert answer.status_code == 400, answer.content
    assert set(answer.json()["errors"]) == {query.partition("=")[0]}


def test_numbers_that_no_column_has_match_nothing(reader, tools):
    for name in ("minorUnitsIn", "minorUnitsFrom", "minorUnits"):
        assert codes(reader.get(f"/Currencies?{name}={10**17}")) == []


def test_a_misspelt_operator_is_suggested(reader):
    body = reader.get("/Items?priceform=1").json()
    assert (body["code"], body["didYouMean"]) == ("unknown-parameter", "priceFrom")
    assert {"counterparty.code", "dateIn"} & set(body["known"]) == set()
    assert {"parent.code", "codeIn", "modifiedFrom"} <= set(body["known"])


@pytest.fixture
def world(db):
    world = World()
    world.order((world.rice, 1, 1), (world.tea, 2, 1))
    world.order((world.rice, 3, 1), warehouseId=None)
    return world


def test_references_are_shown_beside_their_ids(reader, world):
    path = "/SalesOrders?ordering=code&expand=warehouseId,lines.itemId,counterpartyId"
    first, second = reader.get(path).json()["results"]
    assert first["counterpartyId"] == world.partner.pk
    assert first["counterparty"] == {
        "id": world.partner.pk,
        "code": "P",
        "name": "Partner",
    }
    assert first["warehouse"]["code"] == "MAIN"
    assert second["warehouse"] is None
    assert [line["item"]["code"] for line in first["lines"]] == ["RICE", "TEA"]
    assert "currency" not in first
    one = reader.get(f"/SalesOrders/{first['id']}?expand=lines.itemId")
    assert [line["item"]["name"] for line in one.json()["lines"]] == ["Rice", "Tea"]
    # Other rows change it.
    assert "ETag" not in one
    again = reader.get(
        f"/SalesOrders/{first['id']}?expand=lines.itemId", If_None_Match="*"
    )
    assert again.status_code == 200


def test_a_document_has_a_code_and_no_name(reader, world):
    world.receipt((world.rice, 5, 1))
    order = world.order((world.rice, 1, 1))
    issue = world.issue((world.rice, 1, 1), orderId=order.pk)
    row = reader.get(f"/GoodsIssues/{issue.pk}?expand=orderId").json()
    assert row["order"] == {"id": order.pk, "code": order.code, "name": None}


def test_neither_filter_nor_expansion_shows_what_the_caller_may_not_view(world):
    clerk = a_documents_clerk("view_salesorder")
    caller = with_key(User.objects.get(pk=clerk.pk).username)
    assert len(codes(caller.get("/SalesOrders"))) == 2
    for query in ("counterparty.code=P", "expand=counterpartyId"):
        answer = caller.get(f"/SalesOrders?{query}")
        assert answer.status_code == 403
        assert answer.json()["right"] == "catalogs.view_counterparty"
    order = codes_to_ids(caller)[0]
    assert caller.get(f"/SalesOrders/{order}?expand=lines.itemId").status_code == 403


def codes_to_ids(caller):
    return [row["id"] for row in caller.get("/SalesOrders").json()["results"]]


@pytest.mark.counts
def test_an_expansion_takes_one_query_per_table(reader, world):
    asked = []
    for number in range(20):
        partner = {"warehouseId": world.other.pk} if number % 2 else {}
        world.order((world.rice, 1, 1), (world.tea, 1, 1), **partner)
    for query in ("", "&expand=counterpartyId,warehouseId,lines.itemId"):
        with CaptureQueriesContext(connection) as queries:
            reader.get(f"/SalesOrders?pageSize=20{query}")
        asked.append(len(queries))
    assert asked[1] - asked[0] == 3


def test_a_file_has_no_pages_and_nothing_to_expand(reader):
    for query in ("cursor=", "expand=parentId", "page=1"):
        answer = reader.get(f"/Items?format=csv&{query}")
        assert set(answer.json()["errors"]) == {query.partition("=")[0]}


def test_a_package_may_be_filtered_in_the_same_ways(admin, tools):
    a_unit(code="kg")
    path = "/Import/export?dictionary=Items&where=parent.code%3DT%26nameContains%3Daxe"
    package = admin.get(path)
    assert package.status_code == 200
    text = b"".join(package.streaming_content).decode()
    assert '"A-1"' in text
    assert '"B-1"' not in text
