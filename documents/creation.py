"""What can be created from what: pure functions from the wire values of a source to
those of a new document. Other code declares its own with `register_creation`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

Values = Mapping[str, Any]
Copy = Callable[[Values], dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Creation:
    """A way to make one document from another, and the properties that it fills."""

    source: str
    target: str
    copy: Copy
    fills: frozenset[str]


_creations: dict[tuple[str, str], Creation] = {}


def register_creation(creation: Creation) -> None:
    """Make a creation known; ValueError if its pair is taken."""
    pair = (creation.source, creation.target)
    if pair in _creations:
        raise ValueError(f"{pair[1]} can be created from {pair[0]} already.")
    _creations[pair] = creation


def creation_of(source: str, target: str) -> Creation:
    """Return how a target is made from a source; LookupError if it cannot be."""
    try:
        return _creations[source, target]
    except KeyError:
        message = f"{target} cannot be created from {source}."
        raise LookupError(message) from None


def creations() -> tuple[Creation, ...]:
    """Return all that can be created from anything."""
    return tuple(_creations.values())


def created(
    creation: Creation, source: Values, overrides: Values, *, now: str
) -> dict[str, Any]:
    """Return the wire values of the new document.

    What the source leaves empty is left out; ``date`` is now unless it is given.
    """
    copied = {n: v for n, v in creation.copy(source).items() if v is not None}
    return {"date": now, **copied, **overrides}


def issue_of_order(order: Values) -> dict[str, Any]:
    """Return the issue of everything a customer ordered."""
    return {
        "counterpartyId": order.get("counterpartyId"),
        "warehouseId": order.get("warehouseId"),
        "currencyId": order.get("currencyId"),
        "lines": [dict(line) for line in order["lines"]],
        "orderId": order["id"],
    }


def receipt_of_issue(issue: Values) -> dict[str, Any]:
    """Return the receipt of the money for everything that was issued."""
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
