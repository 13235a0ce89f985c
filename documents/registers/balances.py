"""Balances of the registers: stock on hand, and balances and turnovers of the ledger.
Each takes one query; reports, pages and tests use them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any

from django.db.models import QuerySet, Sum

from documents.registers.ledger import LedgerEntry
from documents.registers.stock import StockMovement

_LEDGER_KEYS = (
    "role",
    "account_id",
    "counterparty_id",
    "counterparty__code",
    "currency_id",
    "currency__code",
)


@dataclass(frozen=True, slots=True)
class StockOnHand:
    """The quantity of an item in a warehouse, and its value."""

    item_id: int
    item_code: str
    warehouse_id: int
    warehouse_code: str
    quantity: Decimal
    value: Decimal


@dataclass(frozen=True, slots=True)
class LedgerBalance:
    """The debit and credit of a role with one counterparty and currency."""

    role: str
    account_id: int | None
    counterparty_id: int | None
    counterparty_code: str | None
    currency_id: int
    currency_code: str
    debit: Decimal
    credit: Decimal

    @property
    def balance(self) -> Decimal:
        """Return debit minus credit."""
        return self.debit - self.credit


def stock_on_hand(
    as_of: datetime | None = None,
    *,
    warehouse_id: int | None = None,
    item_id: int | None = None,
) -> list[StockOnHand]:
    """Return the stock of each item in each warehouse at the time ``as_of``.

    Movements with exactly that time count; without ``as_of`` all movements do. Stock
    without quantity and value is left out.
    """
    wanted = {"warehouse_id": warehouse_id, "item_id": item_id}
    movements = _filtered(StockMovement.objects.all(), wanted)
    if as_of is not None:
        movements = movements.filter(date__lte=as_of)
    rows = (
        movements.values_list(
            "item_id", "item__code", "warehouse_id", "warehouse__code"
        )
        .annotate(Sum("quantity"), Sum("value"))
        .order_by("item__code", "item_id", "warehouse__code", "warehouse_id")
    )
    found = (StockOnHand(*row) for row in rows)
    return [row for row in found if row.quantity or row.value]


def ledger_balances(
    as_of: datetime | None = None,
    *,
    role: str | None = None,
    counterparty_id: int | None = None,
) -> list[LedgerBalance]:
    """Return the balances after everything dated up to ``as_of``.

    There is one row per role, account, counterparty and currency.
    """
    entries = _filtered(
        LedgerEntry.objects.all(), {"role": role, "counterparty_id": counterparty_id}
    )
    if as_of is not None:
        entries = entries.filter(date__lte=as_of)
    rows = (
        entries.values_list(*_LEDGER_KEYS)
        .annotate(Sum("debit"), Sum("credit"))
        .order_by(*_LEDGER_KEYS)
    )
    return [LedgerBalance(*row) for row in rows]


def _filtered(rows: QuerySet[Any], wanted: dict[str, Any]) -> QuerySet[Any]:
    return rows.filter(**{k: v for k, v in wanted.items() if v is not None})
