"""The undo of runs with documents: posting, lines, and the order of reverting."""

from __future__ import annotations

import pytest

from documents.models import GoodsReceipt, LedgerEntry, StockBalance, StockMovement
from documents.services import post, unpost
from importer.models import ImportRun
from platform_site.changes.services import ChangeOrigin, acting_as
from platform_site.records.services import create_record, delete_record
from tests.builders import edit_row, model_of, outcomes, ref, row_of
from tests.importer.documents.packages import company, issues, line, receipts, trade

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def filled(run):
    assert not run(company()).has_errors


def receipt():
    return GoodsReceipt.objects.get()


def in_stock():
    return {b.item.code: b.quantity for b in StockBalance.objects.all() if b.quantity}


def issued_by_hand(admin, quantity):
    data = {
        "date": "2026-03-05T12:00:00Z",
        "counterpartyId": row_of("Counterparties", "P").pk,
        "warehouseId": row_of("Warehouses", "MAIN").pk,
        "currencyId": row_of("Currencies", "EUR").pk,
        "lines": [
            {"itemId": row_of("Items", "RICE").pk, "quantity": quantity, "price": "3"}
        ],
    }
    with acting_as(admin, ChangeOrigin.USER):
        model = model_of("GoodsIssues")
        return post(row=create_record(model=model, data=data, actor=admin), actor=admin)


def test_posted_documents_leave_stock_and_ledger(run, undo):
    done = run(receipts(("r", trade([line(quantity="5")]))))
    assert receipt().is_active
    assert in_stock() == {"RICE": 5}
    assert outcomes(undo(done)) == {"r": "Reverted"}
    assert (receipt().is_deleted, receipt().is_active) == (True, False)
    assert not in_stock()
    assert not StockMovement.objects.exists()
    assert not LedgerEntry.objects.exists()


def test_what_others_issued_since_blocks_the_receipt_it_came_from(run, undo, admin):
    done = run(receipts(("r", trade([line(quantity="5")]))))
    issue = issued_by_hand(admin, "4")
    planned, report = undo(done, dry_run=True), undo(done)
    assert list(planned.items) == list(report.items)
    assert outcomes(report) == {"r": "Blocked"}
    assert "Not enough RICE" in report.items[0].message
    assert receipt().is_active
    with acting_as(admin, ChangeOrigin.USER):
        unpost(row=issue, actor=admin)
    assert outcomes(undo(done)) == {"r": "Reverted"}


def test_issues_are_reverted_before_the_receipts_they_take_from(run, undo):
    package = receipts(("r", trade([line(quantity="5")])))
    package.documents("GoodsIssues", submit=True)
    package.item("i", **trade([line(quantity="5")], day=2))
    report = undo(run(package))
    assert [(one.id, str(one.outcome)) for one in report.items] == [
        ("i", "Reverted"),
        ("r", "Reverted"),
    ]


def test_a_document_that_the_run_only_posted_is_unposted(run, undo, admin):
    properties = trade([line(quantity="5")])
    run(receipts(("r", properties), submit=False))
    again = receipts(
        ("r", {**properties, "comment": "now"}), submit=True, onChange="update"
    )
    done = run(again)
    assert outcomes(done) == {"r": "Updated"}
    assert receipt().is_active
    report = undo(done)
    assert report.items[0].changes == {
        "comment": ["now", ""],
        "isActive": [True, False],
    }
    assert (receipt().is_active, receipt().comment) == (False, "")
    assert not in_stock()


def test_lines_come_back_and_a_posted_document_stays_posted(run, undo):
    run(receipts(("r", trade([line(quantity="5"), line("TEA")]))))
    before = [*receipt().lines]
    more = trade([line(quantity="7", price="3.00")])
    done = run(receipts(("r", more), onChange="update"))
    assert in_stock() == {"RICE": 7}
    assert outcomes(undo(done)) == {"r": "Reverted"}
    assert receipt().lines == before
    assert receipt().is_active
    assert in_stock() == {"RICE": 5, "TEA": 1}


def test_posted_documents_that_a_run_deleted_are_restored_and_posted_again(
    run, undo, admin
):
    report = run(receipts(("r", trade([line(quantity="5")]))))
    ImportRun.objects.filter(pk=report.run_id).update(started_at="2026-01-01T00:00Z")
    second = run(issues())
    with acting_as(admin, ChangeOrigin.IMPORT, second.run_id):
        delete_record(row=receipt(), actor=admin)
    assert not in_stock()
    assert outcomes(undo(second)) == {"r": "Reverted"}
    assert (receipt().is_deleted, receipt().is_active) == (False, True)
    assert in_stock() == {"RICE": 5}
    assert not receipt().is_modified_after_import


def test_a_user_without_the_right_to_unpost_is_told_so(run, undo, clerk):
    done = run(receipts(("r", trade([line(quantity="5")]))))
    user = clerk("view_goodsreceipt", "delete_goodsreceipt", "change_goodsreceipt")
    report = undo(done, user=user)
    assert outcomes(report) == {"r": "Blocked"}
    assert "may not unpost" in report.items[0].message


def test_documents_that_refer_to_each_other_are_reverted_in_order(run, undo, admin):
    package = receipts(("r", trade([line(quantity="5")])))
    package.documents("SalesOrders").item("o", **trade([line()], day=2))
    package.created("GoodsIssues", "SalesOrders", submit=True)
    package.item("i", **{"$source": ref("o")}, date="2026-03-03T12:00:00Z")
    done = run(package)
    edit_row(row_of("GoodsIssues", _code("GoodsIssues")), actor=admin, comment="mine")
    report = undo(done)
    assert outcomes(report) == {"i": "Kept", "o": "Blocked", "r": "Blocked"}


def _code(kind):
    return model_of(kind).objects.get().code
