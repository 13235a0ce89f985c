"""A package that exceeds the licence is refused as a whole before its first write."""

from __future__ import annotations

import pytest
from django.db import connection, models
from django.test.utils import CaptureQueriesContext

from documents.models import GoodsIssue, SalesOrder
from platform_site.records.errors import LimitReached
from platform_site.records.services import create_record
from tests.builders import a_package, code, edit_row, outcomes, ref, row_of
from tests.importer.documents.packages import line, payment, receipts, trade

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.usefixtures("no_progress_by_the_clock"),
]

KINDS = pytest.mark.parametrize("dry_run", [False, True], ids=["real", "dry run"])
GOING_ON = pytest.mark.parametrize("continue_on_error", [False, True])


def orders(count, lines=1, **more):
    package = a_package("orders").documents("SalesOrders", **more)
    for number in range(count):
        package.item(f"o{number}", **trade([line()] * lines))
    return package


def refusals(report):
    assert not report.items
    assert report.status == "Failed"
    found = [d for d in report.diagnostics if d.severity == "Error"]
    assert {d.path for d in found} == {"$"}
    return [d.message for d in found]


@KINDS
@GOING_ON
def test_too_many_documents_for_a_month_are_refused_before_any_write(
    run, filled, licensed, business, dry_run, continue_on_error
):
    licensed(documentsPerMonth=3)
    run(a_package("paid").documents("BankReceipts").item("b", **payment()))
    before = business()
    report = run(orders(3), dry_run=dry_run, continue_on_error=continue_on_error)
    assert refusals(report) == [
        "$: The licence allows 3 documents a month, and 4 would be needed this month."
    ]
    assert business() == before


@KINDS
@GOING_ON
def test_a_document_with_too_many_lines_ends_the_run_before_any_write(
    run, filled, licensed, business, dry_run, continue_on_error
):
    licensed(linesPerDocument=3)
    before = business()
    package = orders(2).item("long", **trade([line()] * 4))
    report = run(package, dry_run=dry_run, continue_on_error=continue_on_error)
    assert refusals(report) == [
        "$: The licence allows 3 lines in a document, and steps[0].items[2] (long) would "
        "have 4."
    ]
    assert business() == before


@pytest.mark.parametrize("kind", ["document", "dictionary"])
def test_the_free_limits_apply_without_a_licence(run, filled, kind):
    package = orders(1001)
    package.steps[0] = {kind: "SalesOrders", "items": package.steps[0]["items"]}
    assert "1,001 would" in refusals(run(package))[0]
    package.steps[0]["items"].pop()
    assert run(package, dry_run=True).counts["Inserted"] == 1000


def test_documents_count_in_this_month_whatever_their_dates(run, filled, licensed):
    """IMP-333."""
    licensed(documentsPerMonth=1)
    package = a_package("old").documents("SalesOrders")
    for number in range(2):
        package.item(f"o{number}", **{**trade([line()]), "date": "$today-400d"})
    assert "2 would" in refusals(run(package))[0]


def test_a_second_run_needs_no_further_documents(run, filled, licensed):
    package = orders(3, lines=3)
    run(package)
    licensed(documentsPerMonth=1, linesPerDocument=2)
    assert set(outcomes(run(package)).values()) == {"Unchanged"}


def test_an_existing_document_may_keep_its_lines(run, filled, licensed):
    package = orders(1, lines=3, onChange="update")
    run(package)
    licensed(linesPerDocument=2)
    item = package.steps[0]["items"][0]
    item["lines"] = [line("TEA")] * 3
    assert outcomes(run(package)) == {"o0": "Updated"}
    item["lines"] = [line("TEA")] * 4
    assert "(o0) would have 4." in refusals(run(package))[0]
    assert len(SalesOrder.objects.get().lines) == 3


def test_lines_that_would_not_be_written_do_not_count(run, filled, licensed, admin):
    package = orders(1)
    run(package)
    licensed(linesPerDocument=2)
    package.steps[0]["items"][0]["lines"] = [line()] * 3
    assert outcomes(run(package)) == {"o0": "SkippedDrift"}
    edit_row(SalesOrder.objects.get(), actor=admin, comment="by hand")
    package.steps[0]["onChange"] = "update"
    assert outcomes(run(package)) == {"o0": "SkippedUserModified"}


def test_documents_that_are_adopted_are_not_created(run, filled, licensed, admin):
    run(orders(2))
    licensed(documentsPerMonth=2)
    adopting = a_package("hand").documents("SalesOrders", match=["code"])
    for number, order in enumerate(SalesOrder.objects.all()):
        erase_mark(order)
        adopting.item(f"h{number}", **trade([line()], code=order.code))
    assert set(outcomes(run(adopting)).values()) == {"Adopted"}


def erase_mark(row):
    """Remove the mark of a row, as if a user had entered it."""
    fields = {name: None for name in vars(row) if name.startswith("import_")}
    models.QuerySet(type(row)).filter(pk=row.pk).update(**fields)


def created(*sources, target="GoodsIssues", source="SalesOrders", package="copies"):
    copies = a_package(package).created(target, source)
    for number, named in enumerate(sources):
        more = {"bankAccountId": code("B")} if target == "BankReceipts" else {}
        copies.item(f"c{number}", **{"$source": named}, **more)
    return copies


@KINDS
def test_copies_count_as_documents(run, filled, licensed, dry_run):
    run(orders(2))
    licensed(documentsPerMonth=3)
    codes = SalesOrder.objects.values_list("code", flat=True)
    package = created(*(code(each) for each in codes))
    assert "4 would" in refusals(run(package, dry_run=dry_run))[0]
    assert not GoodsIssue.objects.exists()


@KINDS
def test_a_copy_of_a_stored_document_has_its_lines(run, filled, licensed, dry_run):
    run(orders(1, lines=3))
    licensed(linesPerDocument=2)
    package = created(code(SalesOrder.objects.get().code))
    assert "items[0] (c0) would have 3." in refusals(run(package, dry_run=dry_run))[0]
    package.steps[0]["items"][0]["lines"] = [line()]
    assert run(package, dry_run=dry_run).counts["Inserted"] == 1


@KINDS
def test_a_copy_of_a_document_of_the_package_has_its_lines(
    run, filled, licensed, dry_run
):
    package = orders(1, lines=3)
    run(package)
    licensed(linesPerDocument=2)
    package.created("GoodsIssues", "SalesOrders")
    package.item("copy", **{"$source": ref("o0")})
    assert "items[0] (copy) would have 3." in refusals(run(package, dry_run=dry_run))[0]


def test_a_payment_made_from_a_long_issue_has_no_lines(run, filled, licensed):
    run(receipts(("r", trade([line(quantity="9")]))))
    issue = a_package("issue").documents("GoodsIssues")
    run(issue.item("i", **trade([line()] * 3)))
    licensed(linesPerDocument=2)
    package = created(
        code(GoodsIssue.objects.get().code),
        target="BankReceipts",
        source="GoodsIssues",
    )
    assert run(package).counts["Inserted"] == 1


def test_catalogs_are_never_limited(run, filled, licensed):
    run(orders(2, lines=3))
    licensed(documentsPerMonth=1, linesPerDocument=1)
    package = a_package("more").with_step("UnitsOfMeasure").unit("kg", "KG")
    assert not run(package).has_errors


def queries_of(run, name, count):
    items = ((f"{name}{n}", trade([line()])) for n in range(count))
    with CaptureQueriesContext(connection) as captured:
        assert not run(receipts(*items, submit=False)).has_errors
    return len(captured)


def test_documents_of_a_run_take_no_count_each(run, filled, licensed):
    # The first that is counted in an installation makes the reservation's row.
    licensed(documentsPerMonth=100)
    run(receipts(("first", trade([line()])), submit=False))
    licensed()
    free = queries_of(run, "a", 5), queries_of(run, "b", 15)
    licensed(documentsPerMonth=100)
    counted = queries_of(run, "c", 5), queries_of(run, "d", 15)
    assert counted[1] - counted[0] == free[1] - free[0]


@KINDS
@GOING_ON
def test_limits_and_invalid_objects_are_reported_together(
    run, filled, licensed, business, dry_run, continue_on_error
):
    """OPEN-82."""
    licensed(linesPerDocument=1, documentsPerMonth=1)
    before = business()
    package = orders(2, lines=2)
    package.item("wrong", **trade([line(price="cheap")]))
    report = run(package, dry_run=dry_run, continue_on_error=continue_on_error)
    assert report.status == "Failed"
    errors = {d.path: d.message for d in report.diagnostics if d.severity == "Error"}
    assert set(errors) == {"$", "steps[0].items[2].lines[0].price"}
    whole = [d.message for d in report.diagnostics if d.path == "$"]
    assert any("a month" in text for text in whole)
    assert any("steps[0].items[0] (o0) would have 2." in text for text in whole)
    assert outcomes(report) == {"wrong": "Failed"}
    assert business() == before


def test_users_who_create_documents_leave_room_for_a_run(run, filled, licensed, admin):
    licensed(documentsPerMonth=4)
    run(a_package("paid").documents("BankReceipts").item("b", **payment()))
    refused = []

    def meanwhile(stage, done, total):
        if stage == "importing" and not refused:
            with pytest.raises(LimitReached) as refusal:
                a_users_order(admin)
            refused.append(str(refusal.value))

    report = run(orders(3), window=1, progress=meanwhile)
    assert report.counts["Inserted"] == 3
    assert "5 would be needed this month" in refused[0]
    assert "(orders) creates 3 of them" in refused[0]


def a_users_order(actor):
    said = {"itemId": row_of("Items", "RICE").pk, "quantity": "1", "price": "1"}
    values = {
        "date": "2026-03-01T12:00:00Z",
        "counterpartyId": row_of("Counterparties", "P").pk,
        "currencyId": row_of("Currencies", "EUR").pk,
        "lines": [said],
    }
    return create_record(model=SalesOrder, data=values, actor=actor)


@KINDS
@GOING_ON
def test_a_limit_does_not_hide_errors_that_only_the_database_knows(
    run, filled, licensed, business, dry_run, continue_on_error
):
    """OPEN-82."""
    licensed(linesPerDocument=1, documentsPerMonth=1)
    before = business()
    package = orders(2, lines=2)
    package.item("negative", **trade([line(quantity="-1")]))
    package.item("nowhere", **trade([line()], warehouseId={"$code": "NOPE"}))
    report = run(package, dry_run=dry_run, continue_on_error=continue_on_error)
    assert report.status == "Failed"
    errors = {d.path for d in report.diagnostics if d.severity == "Error"}
    assert errors == {
        "$",
        "steps[0].items[2].lines[0].quantity",
        "steps[0].items[3].warehouseId",
    }
    assert outcomes(report) == {"negative": "Failed", "nowhere": "Failed"}
    assert business() == before
