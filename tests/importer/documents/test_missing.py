"""Documents whose objects the file no longer has, and catalogs that documents use."""

from __future__ import annotations

import pytest

from documents.models import SalesOrder
from documents.services import unpost
from platform_site.changes.services import ChangeOrigin, acting_as
from tests.builders import a_package, code, model_of, outcomes, ref
from tests.importer.documents.packages import company, issues, line, receipts, trade

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("filled")]
ALL = {"onMissing": "delete", "maxDelete": "100%"}


def both(run, package):
    planned, done = run(package, dry_run=True), run(package)
    told = [
        [(o.id, o.step, o.index, o.outcome, o.message) for o in report.items]
        for report in (planned, done)
    ]
    assert told[0] == told[1]
    assert not done.has_errors
    return done


def message_of(report, identifier):
    return next(one.message for one in report.items if one.id == identifier)


def chain(*numbers, **keys):
    """Return a package with orders, issues made from them and payments of these."""
    package = a_package("chain").documents("SalesOrders", **keys)
    for n in numbers:
        package.item(f"o{n}", **trade([line()], day=10))
    package.created("GoodsIssues", "SalesOrders", **keys)
    for n in numbers:
        package.item(f"i{n}", **{"$source": ref(f"o{n}"), "date": "2026-03-11"})
    package.created("BankReceipts", "GoodsIssues", **keys)
    for n in numbers:
        named = {"$source": ref(f"i{n}"), "bankAccountId": code("B")}
        package.item(f"b{n}", **named, date="2026-03-12")
    return package


def test_copies_are_deleted_before_their_sources(run):
    run(chain(1, 2))
    report = both(run, chain(2, **ALL))
    assert [one.id for one in report.items if one.outcome == "Deleted"] == [
        "b1",
        "i1",
        "o1",
    ]
    assert SalesOrder.objects.live().count() == 1
    again = both(run, chain(1, 2, **ALL))
    restored = {one.id for one in again.items if one.outcome == "Restored"}
    assert restored == {"o1", "i1", "b1"}
    assert set(outcomes(both(run, chain(1, 2, **ALL))).values()) == {"Unchanged"}


def test_posted_documents_are_kept_until_somebody_unposts_them(run, admin):
    run(receipts(("r1", trade([line()])), ("r2", trade([line()]))))
    package = receipts(("r2", trade([line()])), **ALL)
    report = both(run, package)
    assert outcomes(report)["r1"] == "Missing"
    assert "it is posted" in message_of(report, "r1")
    row = model_of("GoodsReceipts").objects.get(import_key="r1")
    assert row.is_active
    with acting_as(admin, ChangeOrigin.USER):
        unpost(row=row, actor=admin)
    assert "a user changed the row" in message_of(both(run, package), "r1")


def test_catalogs_that_documents_use_are_kept(run):
    run(receipts(("r1", trade([line("RICE")])), ("r2", trade([line("TEA")]))))
    run(issues(("i1", trade([line("RICE")], day=2)), submit=False))
    package = company()
    for step in package.steps:
        step |= ALL
        step["items"] = [i for i in step["items"] if i["$id"] in ("goods", "eur", "p")]
    report = both(run, package)
    found = outcomes(report)
    assert found["freight"] == "Deleted"
    assert found["rice"] == found["tea"] == found["pc"] == found["main"] == "Missing"
    assert message_of(report, "rice") == "kept: in use by goods issues, goods receipts"
    assert message_of(report, "pc") == "kept: in use by items"
    assert found["bank"] == "Deleted"


def test_a_document_that_gives_up_an_item_lets_it_go(run):
    package = a_package("both").with_step("Items", **ALL)
    for each in ("A", "B"):
        package.goods(each, each, code("PC"))
    package.documents("SalesOrders", onChange="update")
    package.item("o1", **trade([line("A")]))
    run(package)
    package.steps[0]["items"].pop(0)
    assert outcomes(both(run, package))["A"] == "Missing"
    package.steps[1]["items"][0] |= {"lines": [line("B")]}
    assert outcomes(both(run, package)) == {
        "B": "Unchanged",
        "o1": "Updated",
        "A": "Deleted",
    }


def test_an_item_of_a_new_document_is_kept(run):
    package = a_package("both").with_step("Items", **ALL)
    for each in ("A", "B"):
        package.goods(each, each, code("PC"))
    run(package)
    package.steps[0]["items"].pop(0)
    package.documents("SalesOrders").item("o1", **trade([line("A")]))
    report = both(run, package)
    assert outcomes(report)["A"] == "Missing"
    assert message_of(report, "A") == "kept: in use by sales orders"
