"""A posted document is settled again only if its postings depend on what has
changed."""

from __future__ import annotations

from decimal import Decimal

import pytest
from django.db import models

from catalogs import models as catalogs
from documents.models import Document, LedgerEntry, StockBalance, StockMovement
from importer.pipeline.ports import Write
from platform_site.records import services as records
from tests.catalogs.rows import a_row, boss, stored
from tests.documents.rows import as_lines, day, edit, movements

D = Decimal
REGISTERS = (StockMovement, StockBalance, LedgerEntry)

# What is only said about a document, by its kind; all else moves its postings.
SAID = {
    "BankReceipts": {"purpose", "issue_id"},
    "GoodsIssues": {"order_id"},
    "GoodsReceipts": set(),
}
OF_EVERY_ROW = {"code", "comment", "total", "is_active", "id", "version", "is_deleted"}
# Posting itself writes what is paid.
OF_EVERY_ROW |= {"created", "modified", "paid"}


def registers():
    return [[*model.objects.order_by("pk").values()] for model in REGISTERS]


@pytest.fixture
def issue(world):
    """Return an issue that would cost more now than when it was posted."""
    world.receipt((world.rice, 10, 2), on=1)
    issue = world.issue((world.rice, 5, 9), on=5)
    world.receipt((world.rice, 10, 8), on=2)
    return issue


def test_a_comment_leaves_ledger_and_stock_unchanged(world, issue):
    before = registers()
    edit(issue, comment="Left at the gate", code="GI-7")
    assert registers() == before
    assert stored(issue).is_active
    assert stored(issue).comment == "Left at the gate"


def test_a_comment_is_not_checked_against_stock_or_currency(world, issue):
    # A document of long ago that could not be posted today.
    models.QuerySet(StockBalance).update(currency_id=world.usd.pk)
    before = registers()
    edit(issue, comment="x")
    assert registers() == before


def test_order_reference_and_purpose_do_not_settle_a_document(world, issue):
    order = world.order((world.rice, 1, 1))
    payment = world.payment("5", issueId=issue.pk)
    a_row(catalogs.Account, isFolder=False, role="bank")
    before = registers()
    edit(issue, orderId=order.pk)
    edit(payment, purpose="Rice", issueId=None)
    assert registers() == before


def test_values_used_by_postings_settle_the_document_again(world, issue):
    edit(issue, comment="and more", lines=as_lines([(world.rice, 6, 9)]))
    assert movements(issue) == [(D(-6), D(-30))]


@pytest.mark.parametrize(
    "change",
    [
        lambda world: {"date": day(6)},
        lambda world: {"amount": "6"},
        lambda world: {"isIncome": False},
        lambda world: {"counterpartyId": a_row(catalogs.Counterparty).pk},
        lambda world: {
            "bankAccountId": a_row(
                catalogs.BankAccount, code="D", currencyId=world.usd.pk
            ).pk
        },
    ],
)
def test_each_posted_value_of_a_payment_settles_it_again(world, change):
    payment = world.payment("5")
    before = registers()
    edit(payment, **change(world))
    assert registers() != before


def test_importing_a_comment_settles_nothing(world, issue):
    before = registers()
    row = stored(issue)
    order = Write({"comment": "x"}, boss(), row=row, version=row.version, submit=True)
    records.commit(records.prepare(order, type(row)))
    assert registers() == before


def test_a_save_outside_the_services_compares_with_the_stored_row(world, issue):
    before = registers()
    row = stored(issue)
    row.comment = "x"
    row.save()
    assert registers() == before
    row.lines = [{**line, "quantity": D(6)} for line in row.lines]
    row.save()
    assert movements(issue) == [(D(-6), D(-30))]


def test_changing_a_posted_order_writes_no_register_rows(world):
    order = world.order((world.rice, 1, 1), post=True)
    edit(order, lines=as_lines([(world.rice, 6, 9)]), date=day(3))
    assert stored(order).is_active
    assert not any(registers())


@pytest.mark.parametrize("kind", [*Document.kinds()], ids=lambda k: k.catalog_name)
def test_each_property_is_classified_as_posted_or_not(kind):
    """A new property has to be classified."""
    if not kind.postings_from:
        assert kind.catalog_name == "SalesOrders"
        return
    columns = {f.attname for f in kind._meta.concrete_fields}
    columns |= {part.name for part in kind.parts}
    columns = {name for name in columns if not name.startswith("import_")}
    only_said = SAID[kind.catalog_name]
    assert kind.postings_from.isdisjoint(only_said)
    assert columns - OF_EVERY_ROW == kind.postings_from | only_said
