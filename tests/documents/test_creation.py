"""Creating one document from another: the pure functions, and the service."""

from __future__ import annotations

import pytest

from documents import services
from documents.creation import (
    Creation,
    created,
    creation_of,
    creations,
    register_creation,
)
from documents.models import BankReceipt, GoodsIssue, SalesOrder
from platform_site.records.errors import NotAllowed, Refusal
from tests.catalogs.rows import boss, stored
from tests.documents.rows import (
    a_documents_clerk,
    as_lines,
    delete,
    edit,
    post,
    sentences,
)

ORDER = {
    "id": -5,
    "code": "SO-2026-000001",
    "total": "6.0000",
    "comment": "mine",
    "counterpartyId": 1,
    "warehouseId": None,
    "currencyId": 3,
    "lines": [{"itemId": 4, "quantity": "2", "price": "3"}],
}


def test_a_copy_is_a_function_of_wire_values():
    creation = creation_of("SalesOrders", "GoodsIssues")
    made = created(creation, ORDER, {"warehouseId": 9}, now="2026-01-01T00:00:00Z")
    assert made == {
        "date": "2026-01-01T00:00:00Z",
        "counterpartyId": 1,
        "warehouseId": 9,
        "currencyId": 3,
        "lines": ORDER["lines"],
        "orderId": -5,
    }
    made["lines"][0]["price"] = "0"
    assert ORDER["lines"][0]["price"] == "3"


def test_every_creation_fills_the_declared_properties():
    for creation in creations():
        source = {**ORDER, "warehouseId": 2}
        assert set(created(creation, source, {}, now="")) == creation.fills


def test_the_built_in_creations_are_registered():
    pairs = {(each.source, each.target) for each in creations()}
    assert {("SalesOrders", "GoodsIssues"), ("GoodsIssues", "BankReceipts")} <= pairs
    with pytest.raises(LookupError):
        creation_of("BankReceipts", "SalesOrders")
    again = Creation("SalesOrders", "GoodsIssues", dict, frozenset())
    with pytest.raises(ValueError, match="already"):
        register_creation(again)


def make(source, target, actor=None, **overrides):
    return services.create_from(
        source=source, target=target, overrides=overrides, actor=actor or boss()
    )


def test_an_issue_is_created_from_an_order_and_a_receipt_from_the_issue(world):
    world.receipt((world.rice, 5, 1))
    order = world.order((world.rice, 2, 10), (world.rice, 1, 11))
    issue = make(order, GoodsIssue)
    assert not issue.is_active
    assert stored(issue).lines == stored(order).lines
    assert (issue.order_id, issue.warehouse_id) == (order.pk, world.main.pk)
    post(issue)
    money = make(stored(issue), BankReceipt, bankAccountId=world.bank.pk)
    assert (money.amount, money.is_income, money.issue_id) == (31, True, issue.pk)
    edit(order, lines=as_lines([(world.rice, 9, 9)]))
    assert stored(issue).total == 31


def test_properties_the_copy_does_not_fill_are_required(world):
    order = edit(world.order((world.rice, 2, 10)), warehouseId=None)
    with pytest.raises(Refusal) as refusal:
        make(order, GoodsIssue)
    assert set(sentences(refusal)) == {"warehouseId"}
    issue = make(order, GoodsIssue, warehouseId=world.other.pk)
    with pytest.raises(Refusal) as refusal:
        make(issue, BankReceipt)
    assert set(sentences(refusal)) == {"bankAccountId"}


def test_nothing_is_created_from_a_deleted_document_or_another_kind(world):
    order = world.order((world.rice, 2, 10))
    with pytest.raises(Refusal, match="cannot be created from"):
        make(order, BankReceipt)
    with pytest.raises(Refusal, match="is deleted"):
        make(delete(order), GoodsIssue)


def test_creating_needs_the_rights_to_add_and_to_view_the_source(world):
    order = world.order((world.rice, 2, 10))
    for rights in (["add_goodsissue"], ["view_salesorder"]):
        with pytest.raises(NotAllowed):
            make(order, GoodsIssue, a_documents_clerk(*rights))
    make(order, GoodsIssue, a_documents_clerk("add_goodsissue", "view_salesorder"))


def test_a_planned_document_has_wire_values_too(world):
    order = SalesOrder(
        pk=-3,
        code="",
        date=stored(world.order((world.rice, 1, 1))).date,
        counterparty_id=world.partner.pk,
        currency_id=world.eur.pk,
        lines=stored(world.order((world.rice, 2, 10))).lines,
    )
    wire = services.wire_values(order)
    assert (wire["id"], wire["total"]) == (-3, "20.0000")
    assert (
        created(creation_of("SalesOrders", "GoodsIssues"), wire, {}, now="x")["orderId"]
        == -3
    )
