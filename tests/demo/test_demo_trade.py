"""The trade of the demo company: what is in its file is what the registers say, it looks
alive on the day it is loaded, and a removal leaves nothing of it."""

from __future__ import annotations

import datetime
import json
from collections import defaultdict
from decimal import Decimal

import pytest
from django.utils import timezone

from catalogs.models import Item
from demo.removal import remove_demo_data
from demo.seeding import seed
from documents.models import BankReceipt, GoodsIssue, GoodsReceipt, SalesOrder
from documents.registers.balances import ledger_balances, stock_on_hand
from documents.registers.ledger import LedgerEntry
from documents.registers.stock import StockMovement
from importer.services import embedded_package
from licensing.limits import FREE
from platform_site.accounts.models import User

DOCUMENTS = (SalesOrder, GoodsReceipt, GoodsIssue, BankReceipt)


def steps(document):
    package = json.loads(embedded_package("demo-company").path.read_bytes())
    return [step for step in package["steps"] if step.get("document") == document]


def objects(document):
    return {item["$id"]: item for step in steps(document) for item in step["items"]}


def all_documents():
    names = {model.catalog_name for model in DOCUMENTS}
    return [item for name in names for item in objects(name).values()]


@pytest.fixture
def loaded(db):
    report = seed()
    assert [d.message for d in report.diagnostics] == []


def test_there_are_some_hundreds_and_the_free_licence_has_room_for_as_many_again():
    assert 300 < len(all_documents()) < FREE.documents_per_month / 2
    longest = max(len(item.get("lines", [])) for item in all_documents())
    assert longest <= FREE.lines_per_document


def test_all_dates_are_counted_from_today_and_lie_in_the_last_three_months():
    days = [item["date"].removeprefix("$today").rstrip("d") for item in all_documents()]
    assert {-92 <= int(day or 0) <= 0 for day in days} == {True}


def test_no_object_is_dated_before_the_one_it_is_made_from():
    def day(item):
        return int(item["date"].removeprefix("$today").rstrip("d") or 0)

    made_from = {**objects("SalesOrders"), **objects("GoodsIssues")}
    made = [item for item in all_documents() if "$source" in item]
    assert made
    assert all(day(i) >= day(made_from[i["$source"]["$ref"]]) for i in made)


def test_the_company_looks_alive_on_the_day_it_is_loaded(loaded):
    week = timezone.now() - datetime.timedelta(days=8)
    for model in DOCUMENTS:
        assert model.objects.filter(date__gte=week).exists(), model
        assert not model.objects.filter(date__gt=timezone.now()).exists(), model
    assert SalesOrder.objects.filter(is_active=False).exists()
    assert GoodsIssue.objects.filter(is_active=False).exists()
    open_orders = SalesOrder.objects.filter(is_active=True, issues=None)
    assert open_orders.filter(due_date__lt=timezone.now().date()).exists()
    unpaid = GoodsIssue.objects.filter(is_active=True).exclude(
        pk__in=BankReceipt.objects.exclude(issue=None).values("issue")
    )
    assert unpaid.exists()


def moved():
    """Sum up in the file what each posted document does to the stock."""
    stock = defaultdict(Decimal)
    services = {i["$id"] for i in json_items("Items") if i.get("category") == "service"}
    orders = objects("SalesOrders")

    def count(step, sign):
        for item in step["items"] if step.get("submit") else ():
            whole = {**orders.get(item.get("$source", {}).get("$ref"), {}), **item}
            warehouse = whole["warehouseId"]["$ref"].partition(":")[2]
            for line in whole["lines"]:
                of = line["itemId"]["$ref"]
                if of not in services:
                    key = (of.partition(":")[2], warehouse)
                    stock[key] += sign * Decimal(str(line["quantity"]))

    for step in steps("GoodsReceipts"):
        count(step, 1)
    for step in steps("GoodsIssues"):
        count(step, -1)
    return {key: quantity for key, quantity in stock.items() if quantity}


def json_items(catalog):
    package = json.loads(embedded_package("demo-company").path.read_bytes())
    return [
        item
        for step in package["steps"]
        if step.get("dictionary") == catalog
        for item in step["items"]
    ]


def test_the_stock_is_what_the_file_adds_up_to(loaded):
    on_hand = {
        (row.item_code, row.warehouse_code): row.quantity for row in stock_on_hand()
    }
    assert on_hand == moved()
    assert min(on_hand.values()) > 0
    goods = Item.objects.filter(is_folder=False).exclude(category="service")
    in_stock = {code for code, _warehouse in on_hand}
    assert set(goods.values_list("code", flat=True)) - in_stock == set()


def test_the_ledger_balances_and_the_company_earns_money(loaded):
    balance = defaultdict(Decimal)
    for row in ledger_balances():
        balance[row.role] += row.balance
    assert sum(balance.values()) == 0
    assert balance["sales"] + balance["costOfGoods"] < 0
    assert balance["bank"] > 0
    assert balance["receivables"] > 0


def test_a_removal_leaves_nothing_of_it(loaded):
    admin = User.objects.get(username="admin")
    planned = remove_demo_data(actor=admin, dry_run=True)
    done = remove_demo_data(actor=admin)
    assert done.kept == planned.kept == []
    assert done.removed == planned.removed
    for model in (*DOCUMENTS, Item):
        assert not model.objects.live().exists(), model
    assert not StockMovement.objects.exists()
    assert not LedgerEntry.objects.exists()
    assert seed("demo-company").counts["Restored"] == sum(done.removed.values())
    assert {r.quantity > 0 for r in stock_on_hand()} == {True}
