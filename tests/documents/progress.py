"""What is delivered of an order and paid of an issue, computed from the documents alone."""

from __future__ import annotations

from collections import Counter
from decimal import Decimal

from documents.models import BankReceipt, GoodsIssue, SalesOrder

# The columns that other documents set.
SET_BY_OTHERS = {"is_delivered", "is_part_delivered", "paid"}


def check_progress():
    """Assert that the stored columns of all orders and issues say the same."""
    for order in SalesOrder.objects.all():
        assert (order.is_delivered, order.is_part_delivered) == delivered(order)
    for issue in GoodsIssue.objects.all():
        assert issue.paid == paid(issue)


def counted(documents):
    found = Counter()
    for document in documents:
        for line in document.lines:
            found[line["item_id"]] += line["quantity"]
    return found


def delivered(order):
    wanted = counted([order])
    issued = counted(GoodsIssue.objects.filter(order=order, is_active=True))
    whole = all(issued[item] >= number for item, number in wanted.items())
    return whole, bool(issued) and not whole


def paid(issue):
    found = Decimal(0)
    for each in BankReceipt.objects.filter(issue=issue, is_active=True):
        if each.bank_account.currency_id == issue.currency_id:
            found += each.amount if each.is_income else -each.amount
    return found
