"""Builders of documents for tests. Each uses the services and fills in what the test
doesn't set."""

from __future__ import annotations

from decimal import Decimal

from django.contrib.auth.models import Permission

from catalogs import models as catalogs
from documents import models, services
from documents.models import LedgerEntry, StockMovement
from documents.registers.balances import ledger_balances, stock_on_hand
from platform_site.records.services import (
    create_record,
    delete_record,
    restore_record,
    update_record,
)
from tests.catalogs.rows import (
    a_clerk,
    a_row,
    a_warehouse,
    an_item,
    boss,
    events,
    stored,
)

DAY = "2026-03-{:02d}T12:00:00Z"


def day(number):
    """Return an instant in March 2026 in wire form."""
    return DAY.format(number)


class World:
    """A warehouse, two goods, a service, partners and currencies."""

    def __init__(self):
        self.main = a_warehouse(code="MAIN", name="Main")
        self.other = a_warehouse(code="OTHER", name="Other")
        unit = a_row(catalogs.UnitOfMeasure).pk
        self.rice = an_item(code="RICE", name="Rice", unitOfMeasureId=unit)
        self.tea = an_item(code="TEA", name="Tea", unitOfMeasureId=unit)
        self.freight = an_item(
            code="FREIGHT", name="Freight", unitOfMeasureId=unit, category="service"
        )
        self.eur = a_row(catalogs.Currency, code="EUR", name="Euro")
        self.usd = a_row(catalogs.Currency, code="USD", name="Dollar")
        self.partner = a_row(catalogs.Counterparty, code="P", name="Partner")
        self.bank = a_row(
            catalogs.BankAccount, code="B", name="Bank", currencyId=self.eur.pk
        )
        self.dollars = a_row(
            catalogs.BankAccount, code="B-USD", name="Dollars", currencyId=self.usd.pk
        )

    def create(self, model, said=None, *, post=False, on=1, **values):
        """Create a document; lines are given as (item, quantity, price)."""
        data = {"date": on if isinstance(on, str) else day(on)}
        data["counterpartyId"] = self.partner.pk
        if said is not None:
            data["currencyId"] = self.eur.pk
            data["warehouseId"] = self.main.pk
            data["lines"] = as_lines(said)
        row = create_record(model=model, data=data | values, actor=boss())
        return services.post(row=row, actor=boss()) if post else row

    def receipt(self, *lines, **options):
        return self.create(models.GoodsReceipt, lines, **{"post": True, **options})

    def issue(self, *lines, **options):
        return self.create(models.GoodsIssue, lines, **{"post": True, **options})

    def order(self, *lines, **options):
        return self.create(models.SalesOrder, lines, **options)

    def payment(self, amount, **options):
        values = {"bankAccountId": self.bank.pk, "isIncome": True, "amount": amount}
        return self.create(models.BankReceipt, **{"post": True, **values, **options})


def as_lines(lines):
    """Return the wire form of lines given as (item, quantity, price)."""
    return [
        {"itemId": item.pk, "quantity": str(quantity), "price": str(price)}
        for item, quantity, price in lines
    ]


def edit(row, **values):
    return update_record(row=stored(row), data=values, actor=boss())


def delete(row):
    return delete_record(row=stored(row), actor=boss())


def restore(row):
    return restore_record(row=stored(row), actor=boss())


def post(row):
    return services.post(row=stored(row), actor=boss())


def unpost(row):
    return services.unpost(row=stored(row), actor=boss())


def on_hand(item, warehouse, as_of=None):
    """Return (quantity, value) of an item in a warehouse."""
    rows = stock_on_hand(as_of, item_id=item.pk, warehouse_id=warehouse.pk)
    found = [(row.quantity, row.value) for row in rows]
    return found[0] if found else (Decimal(0), Decimal(0))


def balances():
    """Return the balance of each role, without zeros."""
    found = {}
    for row in ledger_balances():
        found[row.role] = found.get(row.role, 0) + row.balance
    return {role: value for role, value in found.items() if value}


def movements(row):
    """Return (quantity, value) of a document's movements, in order."""
    own = StockMovement.objects.filter(
        document_type=row.catalog_name, document_id=row.pk
    )
    return [(m.quantity, m.value) for m in own.order_by("pk")]


def a_documents_clerk(*rights):
    """Return a user with only these rights on documents."""
    clerk = a_clerk()
    clerk.user_permissions.set(
        Permission.objects.filter(
            codename__in=rights, content_type__app_label="documents"
        )
    )
    return clerk


def sentences(refusal):
    """Return the messages of a refusal by path."""
    return {problem.path: problem.message for problem in refusal.value.problems}


def everything(*rows):
    """Return everything that a refusal must leave unchanged."""
    registers = [
        list(model.objects.order_by("pk").values())
        for model in (StockMovement, LedgerEntry)
    ]
    kept = [type(r)._base_manager.filter(pk=r.pk).values().get() for r in rows]
    lines = [list(r.line_model().objects.filter(document=r).values()) for r in rows]
    return registers, kept, lines, [events(r).count() for r in rows]
