"""A dry run judges posting: in the order of the package, against what the package itself
would have moved, with the sentences of the run, and without writing or locking."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from documents.models import GoodsIssue, GoodsReceipt
from documents.services import post
from tests.builders import (
    a_package,
    code,
    delete_row,
    edit_row,
    make_row,
    outcomes,
    ref,
    row_of,
)
from tests.importer.documents.packages import (
    in_main,
    issues,
    line,
    moving,
    receipts,
    rice,
    trade,
)

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.usefixtures("no_progress_by_the_clock"),
]


def test_a_receipt_of_the_package_gives_stock_for_its_issues(agreeing):
    package = moving(
        ("GoodsReceipts", [("r1", rice("9"))]),
        ("GoodsIssues", [("i1", rice("5", 2)), ("i2", rice("5", 3))]),
        ("GoodsReceipts", [("r2", rice("1"))]),
        ("GoodsIssues", [("i3", rice("5", 3)), ("i4", rice("1", 3))]),
    )
    found, said = agreeing(package)
    assert [*found.values()] == [
        *["Inserted", "Inserted", "Failed"],
        *["Inserted"] * 2,
        "Failed",
    ]
    assert "2026-03-03: 5 needed, 4 available" in said["i2"]
    assert "2026-03-03: 1 needed, 0 available" in said["i4"]


def test_a_failed_document_moves_nothing(agreeing):
    lost = trade([line(quantity="9"), {**line(), "quantity": "0"}])
    package = moving(
        ("GoodsReceipts", [("r1", lost), ("r2", rice("2"))]),
        ("GoodsIssues", [("i1", rice("3", 2)), ("i2", rice("2", 2))]),
    )
    found, _said = agreeing(package)
    assert found == {"r1": "Failed", "r2": "Inserted", "i1": "Failed", "i2": "Inserted"}


def test_an_unposted_document_of_the_package_moves_nothing(agreeing):
    package = moving(("GoodsReceipts", [("r1", rice("9"))]), ("GoodsIssues", []))
    package.steps[0]["submit"] = False
    package.item("i1", **rice("1", 2))
    assert agreeing(package)[0] == {"r1": "Inserted", "i1": "Failed"}


def test_a_planned_item_has_the_stock_that_the_package_gives_it(agreeing):
    new = {"itemId": ref("new"), "quantity": "2", "price": "1"}
    package = a_package("new").with_step("Items").goods("new", "NEW", code("PC"))
    package.documents("GoodsReceipts", submit=True).item("r", **trade([new]))
    package.documents("GoodsIssues", submit=True)
    for n in range(2):
        lines = [{**new, "quantity": "1.5"}]
        package.item(f"i{n}", **trade(lines, day=2))
    found, said = agreeing(package)
    assert (found["i0"], found["i1"]) == ("Inserted", "Failed")
    assert "Not enough NEW Item NEW in MAIN Main" in said["i1"]
    assert "1.5 needed, 0.5 available" in said["i1"]


def test_stock_is_checked_at_every_date_and_back_dated_documents_count(agreeing):
    package = moving(
        ("GoodsReceipts", [("r1", rice("9", 5))]),
        ("GoodsIssues", [("early", rice("1", 4)), ("late", rice("8", 9))]),
        ("GoodsIssues", [("between", rice("2", 7)), ("fits", rice("1", 7))]),
        ("GoodsReceipts", [("before", rice("3", 1))]),
        ("GoodsIssues", [("now", rice("1", 4))]),
    )
    found, said = agreeing(package)
    assert [name for name in found if found[name] == "Failed"] == ["early", "between"]
    assert "2026-03-09: 2 needed, 1 available" in said["between"]


def test_another_currency_is_refused_until_the_last_movement_is_gone(
    agreeing, run, admin
):
    run(a_package("more").with_step("Currencies").item("u", code="USD", name="Dollar"))
    run(moving(("GoodsReceipts", [("r1", rice("9"))])))
    dollars = rice("1", currencyId=code("USD"))
    other = {"warehouseId": code("MAIN"), "lines": [line("TEA")]}
    package = moving(("GoodsReceipts", [("r2", dollars)]))
    _found, said = agreeing(package)
    assert "is valued in EUR; a line in USD cannot be posted" in said["r2"]
    package = moving(
        ("GoodsReceipts", [("r1", {**rice("9"), **other}), ("r2", dollars)])
    )
    assert agreeing(package)[0] == {"r1": "Updated", "r2": "Inserted"}


def test_a_changed_document_is_judged_without_its_old_movements(agreeing, run):
    run(
        moving(
            ("GoodsReceipts", [("r1", rice("9"))]),
            ("GoodsIssues", [("i1", rice("8", 3))]),
        )
    )
    package = moving(
        ("GoodsReceipts", [("r1", rice("7"))]),
        ("GoodsIssues", [("i1", rice("9", 3))]),
        ("GoodsIssues", [("i2", rice("1", 4))]),
    )
    found, said = agreeing(package)
    assert found == {"r1": "Failed", "i1": "Updated", "i2": "Failed"}
    assert "2026-03-03: 8 needed, 7 available" in said["r1"]


def test_a_reduced_receipt_is_judged_against_issues_changed_before_it(agreeing, run):
    run(
        moving(
            ("GoodsReceipts", [("r1", rice("9"))]),
            ("GoodsIssues", [("i1", rice("8", 3))]),
        )
    )
    package = moving(
        ("GoodsIssues", [("i1", rice("5", 3)), ("i2", rice("1", 3))]),
        ("GoodsReceipts", [("r1", rice("4"))]),
    )
    found, said = agreeing(package)
    assert found == {"i1": "Updated", "i2": "Inserted", "r1": "Failed"}
    assert "2026-03-03: 6 needed, 4 available" in said["r1"]
    package.steps[1]["items"][0]["lines"] = [line(quantity="6")]
    assert agreeing(package)[0]["r1"] == "Updated"


def test_a_restored_document_is_posted_or_refused(agreeing, run, admin):
    both = [("i1", rice("5", 3)), ("i2", rice("4", 3))]
    run(moving(("GoodsReceipts", [("r1", rice("9"))]), ("GoodsIssues", both)))
    for row in GoodsIssue.objects.all():
        delete_row(row, actor=admin)
    edit_row(GoodsReceipt.objects.get(), actor=admin, date="2026-03-02T12:00:00Z")
    run(issues(("other", rice("3", 4))))
    package = moving(("GoodsReceipts", []), ("GoodsIssues", both))
    package.steps[1]["onDeleted"] = "restore"
    assert agreeing(package)[0] == {"i1": "Restored", "i2": "Failed"}


def test_copies_are_posted_and_what_depends_on_a_refused_one_fails(agreeing):
    package = (
        receipts(("r1", rice("4")))
        .documents("SalesOrders")
        .item("o1", **rice("3"))
        .item("o2", **rice("2"))
        .created("GoodsIssues", "SalesOrders", submit=True)
        .item("i1", **{"$source": ref("o1")})
        .item("i2", **{"$source": ref("o2")})
        .created("BankReceipts", "GoodsIssues", submit=True)
        .item("b1", **{"$source": ref("i1")}, bankAccountId=code("B"))
        .item("b2", **{"$source": ref("i2")}, bankAccountId=code("B"))
    )
    found, said = agreeing(package)
    assert (found["i1"], found["b1"]) == ("Inserted", "Inserted")
    assert (found["i2"], found["b2"]) == ("Failed", "Failed")
    assert "Referenced object 'i2' failed" in said["b2"]


def test_a_refused_document_draws_no_number(run, filled):
    package = moving(
        ("GoodsIssues", [("i1", rice("1"))]),
        ("GoodsReceipts", [("r1", rice("1"))]),
        ("GoodsIssues", [("i2", rice("1"))]),
    )
    package.created("BankReceipts", "GoodsIssues", submit=True)
    drawn = {"$source": code("GI-2026-000001"), "bankAccountId": code("B")}
    package.item("b1", **drawn)
    assert outcomes(run(package, dry_run=True))["b1"] == "Inserted"
    assert outcomes(run(package, continue_on_error=True))["b1"] == "Inserted"


def test_a_posted_document_that_is_adopted_is_judged_without_its_movements(
    agreeing, admin
):
    lines = [{"itemId": row_of("Items", "RICE").pk, "quantity": "9", "price": "2"}]
    date = "2026-03-01T12:00:00Z"
    mine = make_row(
        "GoodsReceipts", actor=admin, code="MINE", date=date, lines=lines, **in_main()
    )
    post(row=mine, actor=admin)
    package = moving(
        ("GoodsIssues", [("i1", rice("6", 3))]),
        ("GoodsReceipts", [("r1", rice("5", code="MINE")), ("r2", rice("7"))]),
        ("GoodsIssues", [("i2", rice("11", 3))]),
    )
    package.steps[1]["match"] = ["code"]
    package.steps[1]["items"][1]["code"] = "ELSE"
    found, said = agreeing(package)
    assert found == {"i1": "Inserted", "r1": "Failed", "r2": "Inserted", "i2": "Failed"}
    assert "11 needed, 10 available" in said["i2"]


def test_a_user_without_the_right_to_post_gets_failed_in_the_dry_run_too(
    agreeing, clerk
):
    user = clerk("add_goodsreceipt", "view_goodsreceipt")
    _found, said = agreeing(receipts(("r1", rice("1"))), user=user)
    assert "may not post" in said["r1"]


def test_a_dry_run_of_postings_only_reads(run, filled, everything):
    run(moving(("GoodsReceipts", [("r1", rice("9"))])))
    before = everything()
    package = moving(
        ("GoodsReceipts", [("r1", rice("7")), ("r2", rice("2"))]),
        ("GoodsIssues", [("i1", rice("5", 2)), ("i2", rice("9", 2))]),
    )
    with CaptureQueriesContext(connection) as asked:
        run(package, dry_run=True)
    texts = [query["sql"] for query in asked]
    assert not [text for text in texts if "FOR UPDATE" in text or "FOR NO KEY" in text]
    written = [
        text for text in texts if text.startswith(("INSERT", "UPDATE", "DELETE"))
    ]
    tables = {text.split('"')[1] for text in written}
    assert all(name.startswith("importer_") for name in tables), tables
    assert everything() == before
