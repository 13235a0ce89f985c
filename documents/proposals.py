"""What the form of a new document proposes when it is created from another one: the rest
that is still open. The API and packages copy the whole document instead."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from django.utils import timezone

from documents import services
from documents.defaults import bank_account_for
from documents.models import BankReceipt, Document, GoodsIssue, SalesOrder
from documents.posting import progress
from importer.targets import authorise

# The values that belong to one document only.
_OWN = frozenset({"id", "code", "date", "isActive", "total", "dueDate"})


def proposal(source: Document, target: type[Document], user: Any) -> dict[str, Any]:
    """Return the wire values of a new document created from another; raise Refusal if
    nothing can be created from it, NotAllowed if the user may not see it."""
    if isinstance(source, target):
        return duplicate(source, user)
    values = services.copied(source, target, {}, actor=user, now=timezone.now())
    if isinstance(source, SalesOrder) and target is GoodsIssue:
        rest = open_lines(source, values["lines"])
        # Who creates an issue of what is delivered means to deliver it again.
        return {**values, "lines": rest or values["lines"]}
    if isinstance(source, GoodsIssue) and target is BankReceipt:
        return {**values, **_payment(source)}
    return values


def duplicate(source: Document, user: Any) -> dict[str, Any]:
    """Return the wire values of a new document with the same content as another, dated
    now and without a number."""
    authorise(user, type(source), "view")
    values = services.wire_values(source)
    kept = {n: v for n, v in values.items() if n not in _OWN and v is not None}
    return {**kept, "date": timezone.now().isoformat()}


def open_lines(order: SalesOrder, lines: list[Mapping[str, Any]]) -> list[Any]:
    """Return the lines of an order without what posted issues have delivered."""
    ordered = [(line["itemId"], Decimal(line["quantity"])) for line in lines]
    delivered = progress.delivered_of_lines(order.pk, ordered)
    return [
        {**line, "quantity": f"{wanted - done:.4f}"}
        for line, (_item, wanted), done in zip(lines, ordered, delivered, strict=True)
        if wanted > done
    ]


def _payment(issue: GoodsIssue) -> dict[str, Any]:
    """Return the open amount of an issue, and the bank account that it is paid to."""
    left = issue.total - issue.paid
    account = bank_account_for(issue.currency_id)
    found: dict[str, Any] = {"amount": f"{left if left > 0 else issue.total:.4f}"}
    return found if account is None else {**found, "bankAccountId": account}
