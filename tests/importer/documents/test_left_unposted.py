"""Warnings about documents that stay unposted although their step says submit."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from documents import services
from documents.models import GoodsReceipt
from tests.builders import a_package, code, edit_row, make_row, outcomes, row_of
from tests.importer.documents.packages import in_main, line, receipts, trade

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.usefixtures("no_progress_by_the_clock"),
]
TWO = (("r1", trade([line()])), ("r2", trade([line()])))


def warnings(report):
    return [
        (d.path, d.message.split(": ", 1)[1])
        for d in report.diagnostics
        if d.severity == "Warning" and d.path != "$"
    ]


@pytest.mark.parametrize("dry_run", [False, True], ids=["real", "dry run"])
def test_a_later_submit_posts_nothing_and_warns_once_per_step(run, filled, dry_run):
    """They are Unchanged by their hash, so nobody would notice (OPEN-25)."""
    run(receipts(*TWO, submit=False))
    report = run(receipts(*TWO, submit=True), dry_run=dry_run)
    assert set(outcomes(report).values()) == {"Unchanged"}
    ((path, message),) = warnings(report)
    assert path == "steps[0]"
    assert message.startswith("2 documents of this step remain unposted")
    assert "Post them on the page of these documents" in message
    assert not report.has_errors


def test_an_updated_document_is_posted_without_a_warning(run, filled):
    run(receipts(*TWO, submit=False))
    changed = receipts(TWO[0], ("r2", trade([line("TEA")])), onChange="update")
    report = run(changed)
    assert outcomes(report) == {"r1": "Unchanged", "r2": "Updated"}
    ((_, message),) = warnings(report)
    assert message.startswith("1 document of this step remains unposted")


@pytest.mark.parametrize("dry_run", [False, True], ids=["real", "dry run"])
def test_an_unposted_document_that_is_only_adopted_is_warned_of(
    run, filled, admin, dry_run
):
    item = row_of("Items", "RICE").pk
    make_row(
        "GoodsReceipts",
        actor=admin,
        code="MINE",
        date="2026-03-01T12:00:00Z",
        lines=[{"itemId": item, "quantity": "1", "price": "2"}],
        **in_main(),
    )
    package = receipts(("r1", trade([line()], code="MINE")), match=["code"])
    report = run(package, dry_run=dry_run)
    assert outcomes(report) == {"r1": "Adopted"}
    assert len(warnings(report)) == 1
    package.steps[0]["onChange"] = "update"
    if not dry_run:
        assert len(warnings(run(package))) == 1
        return
    assert not warnings(run(package, dry_run=True))


def test_a_document_unposted_by_a_user_is_warned_of_too(run, filled, admin):
    """The row doesn't tell whether it was ever posted, but the reader of the report may
    know."""
    run(receipts(*TWO))
    services.unpost(row=GoodsReceipt.objects.get(import_key="r1"), actor=admin)
    report = run(receipts(*TWO))
    assert set(outcomes(report).values()) == {"Unchanged"}
    assert len(warnings(report)) == 1


def test_posted_and_deleted_documents_and_steps_without_submit_give_no_warning(
    run, filled
):
    run(receipts(*TWO))
    assert not warnings(run(receipts(*TWO)))
    assert not warnings(run(receipts(*TWO, submit=False)))


def test_a_missing_posting_after_a_users_edit_is_a_difference(run, filled, admin):
    run(receipts(TWO[0], submit=False))
    edit_row(GoodsReceipt.objects.get(), actor=admin, comment="mine")
    report = run(receipts(("r1", trade([line()], comment="said"))))
    (entry,) = report.items
    assert entry.outcome == "SkippedUserModified"
    assert entry.differences == {
        "comment": ["mine", "said"],
        "isActive": [False, True],
    }
    assert len(warnings(report)) == 1


def test_the_warning_takes_no_query(run, filled):
    run(receipts(*TWO, submit=False))
    counts = []
    for submit in (False, True):
        with CaptureQueriesContext(connection) as asked:
            run(receipts(*TWO, submit=submit), dry_run=True)
        counts.append(len(asked))
    assert counts[0] == counts[1]


@pytest.mark.parametrize("submit", [True, False])
def test_is_active_against_submit_is_an_error_with_the_reason(run, filled, submit):
    """IMP-067, OPEN-11: authors are told of contradicting values."""
    said = trade([line()], isActive=not submit)
    report = run(receipts(("r1", said), submit=submit), dry_run=True)
    (error,) = (d for d in report.diagnostics if d.severity == "Error")
    assert error.path == "steps[0].items[0].isActive"
    word = "true" if submit else "false"
    assert f"must be {word} because of submit in the step" in error.message


def test_the_message_about_a_changed_copy_names_only_allowed_keys(run, filled):
    """IMP-077: onChange isn't allowed beside createFrom."""
    run(receipts(("r1", trade([line(quantity="9")]))))
    package = (
        a_package("copies")
        .documents("SalesOrders")
        .item("o1", **trade([line()], day=2))
        .created("GoodsIssues", "SalesOrders")
        .item("i1", **{"$source": {"$ref": "o1"}}, warehouseId=code("MAIN"))
    )
    run(package)
    package.steps[1]["items"][0]["comment"] = "later"
    (_, entry) = run(package).items
    assert entry.outcome == "SkippedDrift"
    assert "onChange" not in entry.message
    assert "a copy is made only once" in entry.message
