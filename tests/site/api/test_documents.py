"""Documents over HTTP: lines, posting, creating one from another, and the reports."""

from __future__ import annotations

import csv
import io
from datetime import UTC, datetime

import pytest
from django.db import connection
from django.db.models import QuerySet
from django.test.utils import CaptureQueriesContext

from documents.models import (
    BankReceipt,
    GoodsIssue,
    RegisterGeneration,
    StockMovement,
)
from documents.posting.recosting import Period, recalculate_costs
from documents.reports.cache import ResultCache, results
from tests.catalogs.rows import an_item, boss
from tests.documents.rows import World, day

pytestmark = pytest.mark.django_db


@pytest.fixture
def world(db):
    return World()


@pytest.fixture(autouse=True)
def nothing_kept():
    """Forget the reports of other tests, whose rows are rolled back unseen."""
    results._kept.clear()


@pytest.fixture
def order(world, employee):
    """Return an order of ten rice, as it is on the wire."""
    return employee.made(
        "/SalesOrders",
        date=day(2),
        counterpartyId=world.partner.pk,
        currencyId=world.eur.pk,
        warehouseId=world.main.pk,
        lines=[{"itemId": world.rice.pk, "quantity": "10", "price": "2.5"}],
    )


def test_a_document_is_numbered_and_summed_up(order):
    assert order["code"] == "SO-2026-000001"
    assert order["total"] == "25.0000"
    assert order["isActive"] is False


def test_given_lines_replace_all_lines_and_absent_ones_stay(world, order, employee):
    path = f"/SalesOrders/{order['id']}"
    kept = employee.patch(path, {"comment": "soon"})
    assert kept.json()["lines"] == order["lines"]
    line = {"itemId": world.tea.pk, "quantity": 1, "price": 1}
    assert employee.patch(path, {"lines": [line]}).json()["total"] == "1.0000"
    lacking = employee.patch(path, {"lines": [{"itemId": world.tea.pk}]})
    assert set(lacking.json()["errors"]) == {"lines[0].quantity", "lines[0].price"}
    assert employee.patch(path, {"lines": []}).status_code == 400


def test_a_document_is_posted_and_unposted(world, employee):
    receipt = world.receipt((world.rice, 10, 2), post=False)
    path = f"/GoodsReceipts/{receipt.pk}"
    assert employee.post(f"{path}/post").json()["isActive"] is True
    assert employee.post(f"{path}/post").status_code == 200
    assert employee.post(f"{path}/unpost").json()["isActive"] is False


def test_an_issue_without_stock_says_what_is_missing(world, employee):
    issue = world.issue((world.rice, 10, 2), post=False)
    answer = employee.post(f"/GoodsIssues/{issue.pk}/post")
    assert answer.status_code == 400
    assert "RICE" in answer.content.decode()
    assert "MAIN" in answer.content.decode()


def test_posting_another_version_is_refused(world, order, employee):
    answer = employee.post(f"/SalesOrders/{order['id']}/post", If_Match='"9"')
    assert answer.status_code == 412


def test_readers_neither_post_nor_create(world, order, reader):
    path = f"/SalesOrders/{order['id']}"
    for tail in ("post", "unpost", "create/GoodsIssues"):
        assert reader.post(f"{path}/{tail}", {}).status_code == 403


@pytest.mark.parametrize(
    "body", [{"overrides": {"comment": "all of it"}}, {"comment": "all of it"}]
)
def test_an_issue_is_created_from_an_order(world, order, employee, body):
    answer = employee.post(f"/SalesOrders/{order['id']}/create/GoodsIssues", body)
    assert answer.status_code == 201
    issue = answer.json()
    assert issue["lines"] == order["lines"]
    assert (issue["orderId"], issue["isActive"]) == (order["id"], False)
    assert issue["comment"] == "all of it"
    assert GoodsIssue.objects.get().code == issue["code"]


def test_properties_the_copy_does_not_fill_are_required(world, employee):
    issue = world.issue((world.rice, 1, 2), post=False)
    path = f"/GoodsIssues/{issue.pk}/create/BankReceipts"
    refused = employee.post(path, {})
    assert refused.status_code == 400
    assert set(refused.json()["errors"]) == {"bankAccountId"}
    given = {"overrides": {"bankAccountId": world.bank.pk}}
    assert employee.post(path, given).json()["amount"] == "2.0000"
    assert BankReceipt.objects.count() == 1


def test_what_cannot_be_created_has_no_path(order, employee):
    path = f"/SalesOrders/{order['id']}/create/BankReceipts"
    assert employee.post(path, {}).status_code == 404


def test_the_stock_is_reported_at_any_date(world, reader):
    world.receipt((world.rice, 10, 2), on=1)
    world.issue((world.rice, 4, 5), on=10)
    path = "/Reports/StockOnHand"
    (row,) = reader.get(path).json()["rows"]
    assert row == {
        "itemId": world.rice.pk,
        "itemCode": "RICE",
        "warehouseId": world.main.pk,
        "warehouseCode": "MAIN",
        "quantity": "6.0000",
        "value": "12.0000",
    }
    (row,) = reader.get(f"{path}?asOf=2026-03-09").json()["rows"]
    assert row["quantity"] == "10.0000"
    # A day is meant with all that is dated on it.
    (row,) = reader.get(f"{path}?asOf=2026-03-10").json()["rows"]
    assert row["quantity"] == "6.0000"
    (row,) = reader.get(f"{path}?asOf=2026-03-10T11:59:59Z").json()["rows"]
    assert row["quantity"] == "10.0000"
    assert reader.get(f"{path}?warehouseId={world.other.pk}").json()["rows"] == []


def test_the_ledger_is_reported_by_role_and_counterparty(world, reader):
    world.receipt((world.rice, 10, 2), on=1)
    (row,) = reader.get("/Reports/LedgerBalances?role=payables").json()["rows"]
    assert row["counterpartyCode"] == "P"
    assert (row["debit"], row["credit"]) == ("0.0000", "20.0000")
    assert row["balance"] == "-20.0000"
    assert reader.get("/Reports/LedgerBalances?role=cheese").status_code == 400


def test_a_report_is_a_file_too(world, reader):
    world.receipt((world.rice, 10, 2), on=1)
    answer = reader.get("/Reports/StockOnHand?format=csv")
    assert answer["Content-Type"].startswith("text/csv")
    (row,) = csv.DictReader(io.StringIO(answer.content.decode()))
    assert (row["itemCode"], row["quantity"]) == ("RICE", "10.0000")


def test_a_code_begins_no_formula_in_the_file_of_a_report(world, reader):
    formula = an_item(
        code="=1+1", name="x", unitOfMeasureId=world.rice.unit_of_measure_id
    )
    world.receipt((formula, 10, 2), on=1)
    answer = reader.get("/Reports/StockOnHand?format=csv")
    (row,) = csv.DictReader(io.StringIO(answer.content.decode()))
    assert (row["itemCode"], row["quantity"]) == ("'=1+1", "10.0000")


def test_reports_are_for_those_who_may_view_the_registers(anonymous, world):
    assert anonymous.get("/Reports/StockOnHand").status_code == 401


def rice(caller):
    (row,) = caller.get("/Reports/StockOnHand?asOf=2026-03-31").json()["rows"]
    return row["quantity"]


def test_a_report_is_kept_until_something_is_posted(world, reader):
    """OPEN-119."""
    world.receipt((world.rice, 10, 2), on=1)
    assert rice(reader) == "10.0000"
    with CaptureQueriesContext(connection) as queries:
        assert rice(reader) == "10.0000"
    assert not [q for q in queries.captured_queries if "stockmovement" in q["sql"]]
    world.receipt((world.rice, 5, 2), on=2)
    assert rice(reader) == "15.0000"


def test_a_report_shows_recalculated_costs_at_once(world, reader):
    world.receipt((world.rice, 10, 2), on=1)
    world.issue((world.rice, 5, 3), on=5)
    world.receipt((world.rice, 10, 8), on=2)

    def value():
        (row,) = reader.get("/Reports/StockOnHand").json()["rows"]
        return row["value"]

    assert value() == "90.0000"
    march = Period(datetime(2026, 3, 1, tzinfo=UTC), datetime(2026, 4, 1, tzinfo=UTC))
    recalculate_costs(period=march, actor=boss())
    assert value() == "75.0000"


def test_a_report_shows_what_another_process_has_posted(world, reader):
    receipt = world.receipt((world.rice, 10, 2), on=1)
    assert rice(reader) == "10.0000"
    moved = StockMovement.objects.filter(document_id=receipt.pk)
    # As a connection elsewhere writes: its rows, and its own count.
    QuerySet.update(moved, quantity=11)
    RegisterGeneration.objects.create(slot=63, number=1)
    assert rice(reader) == "11.0000"


def test_a_report_is_kept_no_longer_than_the_setting_says(settings):
    """HOST-051, HOST-052."""
    settings.REPORT_RESULT_CACHE = {"TTL_SECONDS": 10, "MAX_ENTRIES": 2}
    clock = iter([0.0, 9.0, 10.0, 11.0, 12.0, 13.0])
    cache, made = ResultCache(clock=lambda: next(clock)), []

    def make():
        made.append("result")
        return len(made)

    assert [cache.result("a", make) for _ in range(3)] == [1, 1, 2]
    # Of three questions only the last two are remembered.
    assert [cache.result(question, make) for question in "bca"] == [3, 4, 5]


def test_a_report_is_kept_in_the_memory_of_one_process_only():
    """HOST-031: whoever begins with an empty memory adds it up anew."""
    made = []
    for cache in (ResultCache(), ResultCache()):
        for _ in range(2):
            cache.result("a", lambda: made.append("result"))
    assert len(made) == 2


def test_no_report_is_kept_where_the_setting_says_so(settings):
    settings.REPORT_RESULT_CACHE = {"TTL_SECONDS": 0, "MAX_ENTRIES": 2}
    cache, made = ResultCache(), []
    for _ in range(2):
        cache.result("a", lambda: made.append("result"))
    assert len(made) == 2


def test_more_than_the_licence_allows_is_forbidden(world, order, employee, licensed):
    licensed(documentsPerMonth=1)
    values = {n: order[n] for n in ("counterpartyId", "currencyId", "lines", "date")}
    answer = employee.post("/SalesOrders", values)
    assert answer.status_code == 403
    assert "1 document a month" in answer.json()["detail"]
    # What is there already stays editable.
    path = f"/SalesOrders/{order['id']}"
    assert employee.patch(path, {"comment": "x"}).status_code == 200
