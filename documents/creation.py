"""The registry of creations, which make one document from another, and the built-in
ones. They are pure functions on wire values; other apps register theirs with
`register_creation`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

Values = Mapping[str, Any]
Copy = Callable[[Values], dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Creation:
    """A way to create one kind of document from another, and the properties it
    fills."""

    source: str
    target: str
    copy: Copy
    fills: frozenset[str]


_creations: dict[tuple[str, str], Creation] = {}


def register_creation(creation: Creation) -> None:
    """Register a creation; raise ValueError if its pair is taken."""
    pair = (creation.source, creation.target)
    if pair in _creations:
        raise ValueError(f"{pair[1]} can be created from {pair[0]} already.")
    _creations[pair] = creation


def creation_of(source: str, target: str) -> Creation:
    """Return the creation of a pair; raise LookupError if there is none."""
    try:
        return _creations[source, target]
    except KeyError:
        message = f"{target} cannot be created from {source}."
        raise LookupError(message) from None


def creations() -> tuple[Creation, ...]:
    """Return all registered creations."""
    return tuple(_creations.values())


def created(
    creation: Creation, source: Values, overrides: Values, *, now: str
) -> dict[str, Any]:
    """Return the wire values of the new document.

    Empty values of the source are left out; ``date`` is now unless it is overridden.
    """
    copied = {n: v for n, v in creation.copy(source).items() if v is not None}
    return {"date": now, **copied, **overrides}


def issue_of_order(order: Values) -> dict[str, Any]:
    """Return a goods issue of everything ordered."""
    return {
        "counterpartyId": order.get("counterpartyId"),
        "warehouseId": order.get("warehouseId"),
        "currencyId": order.get("currencyId"),
        "lines": [dict(line) for line in order["lines"]],
        "orderId": order["id"],
    }


def receipt_of_issue(issue: Values) -> dict[str, Any]:
    """Return a bank receipt of everything issued."""
    return {
        "counterpartyId": issue.get("counterpartyId"),
        "amount": issue["total"],
        "isIncome": True,
        "issueId": issue["id"],
    }


register_creation(
    Creation(
        "SalesOrders",
        "GoodsIssues",
        issue_of_order,
        frozenset(
            {"date", "counterpartyId", "warehouseId", "currencyId", "lines", "orderId"}
        ),
    )
)
register_creation(
    Creation(
        "GoodsIssues",
        "BankReceipts",
        receipt_of_issue,
        frozenset({"date", "counterpartyId", "amount", "isIncome", "issueId"}),
    )
)
