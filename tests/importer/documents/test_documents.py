"""Documents imported by packages: numbering, posting and refusals are those of
users."""

from __future__ import annotations

from decimal import Decimal

import pytest

from documents.models import (
    GoodsIssue,
    GoodsReceipt,
    LedgerEntry,
    StockMovement,
)
from platform_site.changes.models import ChangeEvent
from tests.builders import (
    a_package,
    delete_row,
    edit_row,
    messages,
    outcomes,
    row_of,
)
from tests.catalogs.rows import events
from tests.importer.documents.packages import (
    issues,
    line,
    receipts,
    trade,
)

pytestmark = pytest.mark.django_db
IMPOSSIBLE = "Not enough RICE"


def registers():
    """Return the contents of both registers, without keys."""
    movements = StockMovement.objects.order_by("date", "document_type", "item_id")
    entries = LedgerEntry.objects.order_by(
        "date", "document_type", "role", "debit", "credit"
    )
    return (
        list(movements.values_list("date", "item__code", "quantity", "value")),
        list(entries.values_list("date", "role", "debit", "credit")),
    )


def test_documents_are_numbered_and_posted_only_if_the_step_submits(run, filled):
    """IMP-070."""
    package = receipts(("r1", trade([line()])), submit=False)
    assert outcomes(run(package)) == {"r1": "Inserted"}
    row = GoodsReceipt.objects.get()
    assert (row.code, row.is_active, row.total) == (
        "GR-2026-000001",
        False,
        Decimal("2.5"),
    )
    assert registers() == ([], [])


def test_a_step_that_submits_posts_like_a_user(run, filled):
    run(receipts(("r1", trade([line(quantity="4"), line("FREIGHT")]))))
    row = GoodsReceipt.objects.get()
    assert row.is_active
    assert [m.quantity for m in StockMovement.objects.all()] == [4]
    assert sum(e.debit - e.credit for e in LedgerEntry.objects.all()) == 0
    assert [e.action for e in events(row)] == ["created"]


def test_the_key_dictionary_can_name_documents_with_their_default_policies(run, filled):
    """OPEN-05."""
    package = a_package("a").with_step("GoodsReceipts", submit=True)
    package.item("r1", **trade([line()]))
    assert outcomes(run(package)) == {"r1": "Inserted"}
    package.steps[-1]["items"][0]["comment"] = "late"
    assert outcomes(run(package)) == {"r1": "SkippedDrift"}


def test_a_second_run_changes_nothing(run, filled, business):
    package = receipts(("r1", trade([line(), line("TEA")])), ("r2", trade([line()])))
    run(package)
    before = business()
    assert set(outcomes(run(package)).values()) == {"Unchanged"}
    assert business() == before


def test_a_given_code_is_kept_and_a_taken_one_fails(run, filled):
    package = receipts(
        ("r1", trade([line()], code="MINE")), ("r2", trade([line()], code="MINE"))
    )
    report = run(package, continue_on_error=True)
    assert outcomes(report) == {"r1": "Inserted", "r2": "Failed"}
    assert (
        'code: "MINE" is already used by the object r1 of this package.'
        in messages(report)["r2"]
    )


def test_a_changed_posted_receipt_is_settled_again_with_one_event(run, filled):
    first = [("r1", trade([line(quantity="9")])), ("r2", trade([line("TEA")]))]
    run(receipts(*first))
    run(issues(("i1", trade([line(quantity="2")], day=3))))
    events_before = ChangeEvent.objects.count()
    changed = [("r1", trade([line(quantity="7")])), first[1]]
    report = run(receipts(*changed, onChange="update"))
    assert outcomes(report) == {"r1": "Updated", "r2": "Unchanged"}
    (updated, _) = report.items
    assert updated.changes["lines"][1][0]["quantity"] == "7.0000"
    assert ChangeEvent.objects.count() == events_before + 1
    row = GoodsReceipt.objects.get(import_key="r1")
    assert row.is_active
    moved = StockMovement.objects.filter(document_type="GoodsReceipts")
    assert sorted(m.quantity for m in moved) == [1, 7]


def test_a_changed_receipt_leaves_the_registers_of_a_fresh_load(run, filled):
    run(receipts(("r1", trade([line(quantity="9")])), ("r2", trade([line("TEA")]))))
    changed = [("r1", trade([line(quantity="7")])), ("r2", trade([line("TEA")]))]
    run(receipts(*changed, onChange="update"))
    after = registers()
    for row in GoodsReceipt.objects.all():
        delete_row(row, actor=ChangeEvent.objects.first().user)
    assert registers() == ([], [])
    fresh = receipts(*changed)
    fresh.header["package"] = "fresh"
    run(fresh)
    assert registers() == after


def test_a_change_that_makes_a_later_issue_impossible_changes_nothing(
    run, filled, business
):
    run(receipts(("r1", trade([line(quantity="9")]))))
    run(issues(("i1", trade([line(quantity="8")], day=3))))
    before = business()
    changed = receipts(("r1", trade([line(quantity="7")])), onChange="update")
    report = run(changed)
    assert outcomes(report) == {"r1": "Failed"}
    assert IMPOSSIBLE in messages(report)["r1"]
    assert business() == before


def test_an_issue_without_stock_fails_as_for_users(run, filled):
    report = run(issues(("i1", trade([line(quantity="8")]))))
    assert IMPOSSIBLE in messages(report)["i1"]
    assert not GoodsIssue.objects.exists()


def test_reordered_lines_are_a_change_and_replace_all_lines(run, filled):
    both = [line("RICE"), line("TEA")]
    run(receipts(("r1", trade(both))))
    turned = receipts(("r1", trade(both[::-1])), onChange="update")
    assert outcomes(run(turned)) == {"r1": "Updated"}
    (row,) = GoodsReceipt.objects.all()
    items = [each.item.code for each in row.line_rows.order_by("number")]
    assert items == ["TEA", "RICE"]


def test_a_deleted_document_stays_deleted_or_is_restored_and_posted(run, filled, admin):
    package = receipts(("r1", trade([line()])))
    run(package)
    delete_row(GoodsReceipt.objects.get(), actor=admin)
    assert outcomes(run(package)) == {"r1": "SkippedDeleted"}
    assert registers() == ([], [])
    package.steps[0]["onDeleted"] = "restore"
    assert outcomes(run(package)) == {"r1": "Restored"}
    row = GoodsReceipt.objects.get()
    assert (row.is_deleted, row.is_active) == (False, True)
    assert len(registers()[0]) == 1


def test_restoring_a_document_does_not_need_the_references_of_its_object(
    run, filled, admin
):
    package = receipts(("r1", trade([line("TEA")])))
    run(package)
    receipt = GoodsReceipt.objects.get()
    edit_row(
        receipt, actor=admin, lines=[{**line(), "itemId": row_of("Items", "RICE").pk}]
    )
    delete_row(receipt, actor=admin)
    delete_row(row_of("Items", "TEA"), actor=admin)
    package.steps[0]["onDeleted"] = "restore"
    assert outcomes(run(package)) == {"r1": "Restored"}


@pytest.mark.parametrize("submit", [True, False])
def test_an_object_may_repeat_what_its_step_says_by_submit(run, filled, submit):
    said = trade([line()], isActive=submit)
    assert outcomes(run(receipts(("r1", said), submit=submit))) == {"r1": "Inserted"}
    report = run(receipts(("r2", {**said, "isActive": not submit}), submit=submit))
    diagnostic = report.diagnostics[0]
    assert diagnostic.path == "steps[0].items[0].isActive"


def test_a_user_without_the_right_to_post_gets_failed(run, filled, clerk):
    user = clerk("add_goodsreceipt", "view_goodsreceipt")
    report = run(receipts(("r1", trade([line()]))), user=user)
    assert "may not post" in messages(report)["r1"]
    assert not GoodsReceipt.objects.exists()
