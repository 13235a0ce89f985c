"""Documents created from others by a package: copied once and not followed."""

from __future__ import annotations

from decimal import Decimal

import pytest

from documents.models import BankReceipt, GoodsIssue, SalesOrder
from tests.builders import (
    a_package,
    code,
    delete_row,
    edit_row,
    messages,
    outcomes,
    ref,
)
from tests.catalogs.rows import events
from tests.importer.documents.packages import line, payment, receipts, trade

pytestmark = pytest.mark.django_db


def chain(**more):
    """Return a package of order, issue and payment, each created from the previous
    one."""
    return (
        receipts(("r1", trade([line(quantity="9")])))
        .documents("SalesOrders")
        .item("o1", **trade([line(quantity="3", price="4")], day=2))
        .created("GoodsIssues", "SalesOrders", submit=True)
        .item("i1", **{"$source": ref("o1")}, date="2026-03-05T12:00:00Z", **more)
        .created("BankReceipts", "GoodsIssues", submit=True)
        .item("b1", **{"$source": ref("i1")}, bankAccountId=code("B"))
    )


def test_order_issue_and_payment_are_created_from_each_other(run, filled):
    """OPEN-06."""
    package = chain()
    predicted = outcomes(run(package, dry_run=True))
    report = run(package)
    assert outcomes(report) == predicted
    assert set(predicted.values()) == {"Inserted"}
    order, issue, paid = (
        m.objects.get() for m in (SalesOrder, GoodsIssue, BankReceipt)
    )
    assert (issue.order_id, paid.issue_id) == (order.pk, issue.pk)
    assert (issue.lines, paid.amount) == (order.lines, Decimal(12))
    assert issue.is_active
    assert paid.is_active
    assert not order.is_active


def test_a_second_run_never_updates_what_was_created_from_another(
    run, filled, admin, business
):
    package = chain()
    run(package)
    edit_row(SalesOrder.objects.get(), actor=admin, comment="another comment")
    before = business()
    assert set(outcomes(run(package)).values()) == {"Unchanged"}
    changed = chain(comment="said later")
    assert outcomes(run(changed))["i1"] == "SkippedDrift"
    assert business() == before


def test_drift_shows_even_where_a_user_changed_the_copy(run, filled, admin):
    run(chain())
    edit_row(GoodsIssue.objects.get(), actor=admin, comment="by hand")
    assert outcomes(run(chain(comment="said later")))["i1"] == "SkippedDrift"


def test_a_deleted_copy_stays_deleted_or_is_only_restored(run, filled, admin):
    package = chain()
    run(package)
    delete_row(BankReceipt.objects.get(), actor=admin)
    assert outcomes(run(package))["b1"] == "SkippedDeleted"
    package.steps[-1]["onDeleted"] = "restore"
    package.steps[-1]["items"][0]["amount"] = "1.00"
    assert outcomes(run(package))["b1"] == "Restored"
    paid = BankReceipt.objects.get()
    assert (paid.amount, paid.is_active, paid.is_deleted) == (Decimal(12), True, False)


def test_overrides_win_and_the_date_is_that_of_the_run(run, filled):
    """OPEN-06."""
    package = chain(comment="with care")
    del package.steps[-2]["items"][0]["date"]
    package.steps[-2]["items"][0]["lines"] = [line(quantity="1", price="5")]
    assert not run(package).has_errors
    issue = GoodsIssue.objects.get()
    assert (issue.comment, issue.total) == ("with care", Decimal(5))
    created = events(issue).get().at
    assert abs((issue.date - created).total_seconds()) < 60


def test_what_the_copy_does_not_fill_is_required(run, filled):
    package = chain()
    del package.steps[-1]["items"][0]["bankAccountId"]
    report = run(package)
    paths = [d.path for d in report.diagnostics]
    assert "steps[3].items[0].bankAccountId" in paths


def test_a_stored_source_can_be_named_by_its_code(run, filled):
    run(receipts(("r1", trade([line(quantity="9")]))))
    run(a_package("o").documents("SalesOrders").item("o1", **trade([line()], day=2)))
    package = a_package("i").created("GoodsIssues", "SalesOrders", submit=True)
    package.item("i1", **{"$source": code("SO-2026-000001")})
    assert outcomes(run(package, dry_run=True)) == {"i1": "Inserted"}
    assert outcomes(run(package)) == {"i1": "Inserted"}


def test_nothing_is_created_from_a_source_that_is_deleted_or_failed(run, filled, admin):
    package = chain()
    run(package)
    for model in (BankReceipt, GoodsIssue, SalesOrder):
        delete_row(model.objects.get(), actor=admin)
    package.steps[2]["items"][0]["$id"] = "i2"
    package.steps[3]["items"][0]["$source"] = ref("i2")
    report = run(package, continue_on_error=True)
    assert outcomes(report) == {
        "r1": "Unchanged",
        "o1": "SkippedDeleted",
        "i2": "Failed",
        "b1": "SkippedDeleted",
    }
    assert "is deleted; nothing can be created from it" in messages(report)["i2"]


def test_a_user_who_may_not_see_the_source_creates_nothing_from_it(run, filled, clerk):
    run(a_package("o").documents("SalesOrders").item("o1", **trade([line()], day=2)))
    package = a_package("i").created("GoodsIssues", "SalesOrders")
    package.item("i1", **{"$source": code("SO-2026-000001")})
    report = run(package, user=clerk("add_goodsissue"))
    assert "may not view" in messages(report)["i1"]


def test_windows_of_one_and_of_a_thousand_agree(run, filled, business):
    small = run(chain(), window=1)
    assert set(outcomes(small).values()) == {"Inserted"}
    before = business()
    assert set(outcomes(run(chain(), window=1000)).values()) == {"Unchanged"}
    assert business() == before


def test_a_negative_payment_is_refused(run, filled):
    package = a_package("p").documents("BankReceipts")
    package.item("b1", **payment("-1"))
    assert "amount" in messages(run(package))["b1"]
