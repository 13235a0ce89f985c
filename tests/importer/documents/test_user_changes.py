"""Runs over documents that users have posted or unposted: user changes are kept
(IMP-072), and a run may do only what its user may do."""

from __future__ import annotations

import pytest
from django.utils import timezone

from documents import services
from documents.models import GoodsReceipt, LedgerEntry, StockBalance, StockMovement
from documents.posting.recosting import Period, recalculate_costs
from tests.builders import messages, outcomes
from tests.importer.documents.packages import issues, line, receipts, trade

pytestmark = pytest.mark.django_db
RIGHTS = ("view_goodsreceipt", "change_goodsreceipt")


def registers():
    kinds = (StockMovement, StockBalance, LedgerEntry)
    return [[*kind.objects.order_by("pk").values()] for kind in kinds]


def one(quantity="4", *, submit=True, **more):
    said = trade([line(quantity=quantity)], **more)
    return receipts(("r1", said), submit=submit, onChange="update")


def late():
    """Return a package with a back-dated receipt that makes earlier issues more
    expensive."""
    package = receipts(("r2", trade([line(quantity="9", price="7")], day=2)))
    package.header["package"] = "late"
    return package


def receipt():
    return GoodsReceipt.objects.get()


def test_a_document_unposted_by_a_user_is_not_posted_again(run, filled, admin):
    """IMP-072."""
    run(one())
    services.unpost(row=receipt(), actor=admin)
    assert outcomes(run(one())) == {"r1": "Unchanged"}
    report = run(one("5"))
    assert outcomes(report) == {"r1": "SkippedUserModified"}
    assert not receipt().is_active
    assert not StockMovement.objects.exists()
    again = one("5")
    again.steps[0]["onUserModified"] = "overwrite"
    assert outcomes(run(again)) == {"r1": "Updated"}
    assert receipt().is_active


def test_posting_by_a_user_is_a_user_change(run, filled, admin):
    """IMP-072."""
    run(one(submit=False))
    services.post(row=receipt(), actor=admin)
    assert outcomes(run(one(submit=False))) == {"r1": "Unchanged"}
    report = run(one("5", submit=False))
    assert outcomes(report) == {"r1": "SkippedUserModified"}
    assert [m.quantity for m in StockMovement.objects.all()] == [4]


def test_posting_by_the_engine_and_recosting_are_not_user_changes(run, filled, admin):
    run(one("10"))
    run(issues(("i1", trade([line(quantity="4")], day=3))))
    assert not run(late()).has_errors
    now = timezone.now()
    period = Period(now.replace(year=2026, month=1, day=1), now.replace(year=2027))
    assert recalculate_costs(period=period, actor=admin).changed == 1
    changed = issues(("i1", trade([line(quantity="5")], day=3)), onChange="update")
    assert outcomes(run(changed)) == {"i1": "Updated"}


def test_a_changed_comment_changes_neither_stock_nor_ledger(run, filled):
    run(one("10"))
    issue = [("i1", trade([line(quantity="4")], day=5))]
    run(issues(*issue))
    assert not run(late()).has_errors
    before = registers()
    issue[0][1]["comment"] = "At the gate"
    report = run(issues(*issue, onChange="update"))
    assert outcomes(report) == {"i1": "Updated"}
    assert registers() == before


def test_settling_again_in_a_run_needs_both_rights(run, filled, clerk):
    run(one())
    user, before = clerk(*RIGHTS), registers()
    report = run(one(comment="x"), user=user)
    assert outcomes(report) == {"r1": "Updated"}
    report = run(one("5"), user=user)
    assert outcomes(report) == {"r1": "Failed"}
    assert "may not unpost goods receipts" in messages(report)["r1"]
    assert registers() == before
