"""The registers over HTTP: read-only lists with filters, ranges, order, pages and
files, for those who may view them."""

from __future__ import annotations

import pytest

from documents.models import LedgerEntry, StockMovement
from platform_site.accounts.seeding import DEFAULT_ADMIN_PASSWORD
from tests.documents.rows import World
from tests.query_plans import plans
from tests.site.api.callers import a_user, with_token

pytestmark = pytest.mark.django_db


@pytest.fixture
def admin():
    return with_token("admin", DEFAULT_ADMIN_PASSWORD)


@pytest.fixture
def busy():
    world = World()
    world.receipt((world.rice, 10, 2), (world.tea, 1, 5), on=2)
    world.issue((world.rice, 4, 3), on=4)
    world.receipt((world.rice, 1, 2), on=6, warehouseId=world.other.pk)
    return world


def ids(answer):
    assert answer.status_code == 200, answer.content
    return [row["id"] for row in answer.json()["results"]]


def test_movements_are_listed_newest_first(admin, busy):
    newest = StockMovement.objects.order_by("-date", "-id")
    assert ids(admin.get("/StockMovements")) == [row.pk for row in newest]
    row = admin.get("/StockMovements?pageSize=1").json()["results"][0]
    assert row == {
        "id": newest[0].pk,
        "date": "2026-03-06T12:00:00Z",
        "documentType": "GoodsReceipts",
        "documentId": newest[0].document_id,
        "itemId": busy.rice.pk,
        "warehouseId": busy.other.pk,
        "quantity": row["quantity"],
        "value": row["value"],
    }
    assert (float(row["quantity"]), float(row["value"])) == (1, 2)


def test_entries_have_debit_and_credit(admin, busy):
    rows = admin.get("/LedgerEntries?pageSize=1000").json()["results"]
    assert len(rows) == LedgerEntry.objects.count()
    assert sum(float(row["debit"]) - float(row["credit"]) for row in rows) == 0
    role = rows[0]["role"]
    found = admin.get(f"/LedgerEntries?role={role}").json()["results"]
    assert found == [row for row in rows if row["role"] == role]


@pytest.mark.parametrize(
    ("query", "quantities"),
    [
        ("itemId={rice}&ordering=date", [10, -4, 1]),
        ("itemId={rice}&warehouseId={main}&ordering=date", [10, -4]),
        ("documentType=GoodsIssues", [-4]),
        ("dateFrom=2026-03-04&dateTo=2026-03-05", [-4]),
        ("quantityFrom=1&quantityTo=1&ordering=id", [1, 1]),
        ("ordering=-id&pageSize=1", [1]),
    ],
)
def test_movements_are_filtered_and_ordered(admin, busy, query, quantities):
    text = query.format(rice=busy.rice.pk, main=busy.main.pk)
    rows = admin.get(f"/StockMovements?{text}").json()["results"]
    assert [float(row["quantity"]) for row in rows] == quantities


@pytest.mark.parametrize(
    ("query", "named"),
    [
        ("ordering=quantity", "ordering"),
        ("dateFrom=x", "dateFrom"),
        ("documentType=Items", "documentType"),
        ("itemId=x", "itemId"),
        ("format=pdf", "format"),
        ("format=csv&page=1", "page"),
    ],
)
def test_wrong_questions_are_refused(admin, query, named):
    answer = admin.get(f"/StockMovements?{query}")
    assert answer.status_code == 400
    assert set(answer.json()["errors"]) == {named}
    assert admin.get("/LedgerEntries?itemId=1").json()["code"] == "unknown-parameter"


def test_a_file_has_all_rows_with_codes(admin, busy):
    answer = admin.get("/StockMovements?format=csv&ordering=date")
    assert "StockMovements.csv" in answer["Content-Disposition"]
    header, first, *others = answer.getvalue().decode().splitlines()
    assert header.split(",")[:6] == [
        "id",
        "date",
        "documentType",
        "documentId",
        "itemId",
        "item.code",
    ]
    assert ",RICE," in first
    assert len(others) == StockMovement.objects.count() - 1
    book = admin.get("/LedgerEntries?format=xlsx")
    assert book.getvalue().startswith(b"PK")


def test_only_those_who_may_view_a_register_read_it(admin, busy):
    a_user("nina")
    for name in ("StockMovements", "LedgerEntries"):
        refused = with_token("nina").get(f"/{name}")
        assert refused.json()["right"] == f"documents.view_{name.lower()[:-1]}".replace(
            "entrie", "entry"
        )
        for method in ("POST", "PUT", "PATCH", "DELETE"):
            assert admin.call(method, f"/{name}").status_code == 405


def test_pages_are_read_from_an_index(admin):
    with plans() as found:
        admin.get("/StockMovements?ordering=date")
        admin.get("/LedgerEntries")
        admin.get("/StockMovements?itemId=1")
    registers = [
        plan
        for sql, plan in found.items()
        if "_stockmovement" in sql or "_ledgerentry" in sql
    ]
    assert registers
    assert not any("SCAN" in plan and "INDEX" not in plan for plan in registers)
