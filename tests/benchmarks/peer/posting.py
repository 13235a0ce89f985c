"""Documents posted as plain Django does it: each row checked and saved by itself."""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Decimal

from django.db import transaction
from django.utils.dateparse import parse_datetime

from tests.benchmarks.peer.models import (
    Balance,
    Document,
    Entry,
    Item,
    Line,
    Movement,
    Sequence,
)

PLACES = Decimal("0.0001")
ENTRIES = {
    "GoodsReceipts": (("inventory", "payables"), None),
    "GoodsIssues": (("receivables", "sales"), ("costOfGoods", "inventory")),
}


def enter(kind, documents):
    """Create and post documents, each in a transaction of its own."""
    items = dict(Item.objects.values_list("code", "pk"))
    for said in documents:
        with transaction.atomic():
            post(create(kind, said, items))


def create(kind, said, items):
    """Save a document and its lines."""
    document = Document(kind=kind, code=number(kind), date=parse_datetime(said["date"]))
    document.partner = said["counterpartyId"]["$code"]
    document.full_clean()
    document.save()
    for place, line in enumerate(said["lines"], start=1):
        quantity, price = Decimal(line["quantity"]), Decimal(line["price"])
        row = Line(document=document, number=place, quantity=quantity, price=price)
        row.item_id = items[line["itemId"]["$code"]]
        row.amount = rounded(quantity * price)
        row.full_clean()
        row.save()
        document.total += row.amount
    return document


def number(kind):
    """Draw the next number of a kind."""
    Sequence.objects.get_or_create(kind=kind)
    sequence = Sequence.objects.select_for_update().get(kind=kind)
    sequence.last += 1
    sequence.save()
    return f"{kind}-{sequence.last:06}"


def post(document):
    """Write a document's movements and entries; raise ValueError if stock lacks."""
    sign = 1 if document.kind == "GoodsReceipts" else -1
    cost = Decimal(0)
    for line in document.line_set.order_by("number"):
        cost += move(document, line, sign)
    sale, costs = ENTRIES[document.kind]
    enter_both(document, sale, document.total)
    if costs:
        enter_both(document, costs, cost)
    document.posted = True
    document.save()


def move(document, line, sign):
    """Change the stock by one line and return what it is worth."""
    balance, _ = Balance.objects.select_for_update().get_or_create(item_id=line.item_id)
    if sign > 0:
        value = line.amount
    elif balance.quantity < line.quantity:
        raise ValueError(f"Not enough of {line.item_id}")
    else:
        value = rounded(balance.value / balance.quantity * line.quantity)
    balance.quantity += sign * line.quantity
    balance.value += sign * value
    balance.save()
    movement = Movement(document=document, date=document.date, item_id=line.item_id)
    movement.quantity, movement.value = sign * line.quantity, sign * value
    movement.save()
    return value


def enter_both(document, roles, value):
    """Write both sides of a posting."""
    debit, credit = roles
    Entry(document=document, date=document.date, role=debit, debit=value).save()
    Entry(document=document, date=document.date, role=credit, credit=value).save()


def rounded(value):
    """Round half up to four places."""
    return value.quantize(PLACES, ROUND_HALF_UP)
