"""Posting of documents. Saving a document calls it in the same transaction, with the
row locked. The queries are set-based and read only later history."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from types import SimpleNamespace
from typing import Any

from catalogs.models import Account, Item
from documents.posting.balances import Removed
from documents.posting.movements import ZERO, Movement, Stock, sides, total
from documents.posting.settlement import Settlement, stocked_lines
from documents.posting.stock_balances import LockedBalances
from documents.registers.ledger import LedgerEntry
from documents.registers.register import changing_registers
from documents.registers.stock import StockMovement
from platform_site.database.prepared_queries import PreparedQuery

_SERVICES = PreparedQuery(
    lambda items: (
        Item._base_manager.order_by()
        .filter(pk__one_of=items, category=Item.Category.SERVICE.value)
        .values_list("pk")
    )
)
# An account with entries can't be deleted.
_ACCOUNTS = PreparedQuery(
    lambda roles: (
        Account.objects.filter(is_deleted=False, role__one_of=roles)
        .order_by("pk")
        .values_list("role", "pk")
    ),
    kept=True,
)
_DEBTS = {Account.Role.PAYABLES.value, Account.Role.RECEIVABLES.value}


def settle(document: Any, *, was: bool, active: bool) -> None:
    """Replace the register entries of a document; ``was`` tells whether it has any.

    Raise Refusal if stock would be negative at any time, or if a currency doesn't
    match; the caller must then roll back.
    """
    with changing_registers():
        removed = _remove(document) if was else []
        stocked = active and document.stock_sign
        lines = stocked_lines(document, services_among) if stocked else []
        currency_id = document.ledger_currency_id if active else 0
        cost = ZERO
        if removed or lines:
            settlement = Settlement(document, removed, lines)
            balances = LockedBalances(settlement.pairs)
            movements = settlement.movements(balances, currency_id)
            _write(document, movements)
            balances.save()
            if document.stock_sign < 0:
                cost = -total(movement.change.value for movement in movements)
        if active:
            enter(document, cost, currency_id)


def services_among(items: Sequence[int]) -> set[int]:
    """Return the items that are services, which have no stock."""
    return {key for (key,) in _SERVICES.rows([*items])}


def _remove(document: Any) -> list[Removed]:
    """Delete the movements and entries of a document; return the movements."""
    own = {"document_type": document.catalog_name, "document_id": document.pk}
    LedgerEntry.objects.filter(**own).delete()
    if not document.stock_sign:
        return []
    (removed,) = stored_movements(type(document), [document.pk]).values()
    StockMovement.objects.filter(**own).delete()
    return removed


def stored_movements(model: Any, keys: Sequence[int]) -> dict[int, list[Removed]]:
    """Return the movements of documents of one kind by their keys, with one query."""
    found: dict[int, list[Removed]] = {key: [] for key in keys}
    movements = StockMovement.objects.filter(
        document_type=model.catalog_name, document_id__one_of=[*keys]
    )
    for document, item, warehouse, date, quantity, value in movements.values_list(
        "document_id", "item_id", "warehouse_id", "date", "quantity", "value"
    ):
        moved = Removed((item, warehouse), date, Stock(quantity, value))
        found[document].append(moved)
    return found


def _write(document: Any, movements: Sequence[Movement]) -> None:
    entries = [
        SimpleNamespace(
            date=document.date,
            document_type=document.catalog_name,
            document_id=document.pk,
            item_id=movement.item,
            warehouse_id=document.warehouse_id,
            quantity=movement.change.quantity,
            value=movement.change.value,
        )
        for movement in movements
    ]
    StockMovement.objects.insert(entries)


def enter(document: Any, cost: Decimal, currency_id: int) -> None:
    """Write both sides of each posting to the ledger."""
    rows = sides(document.postings(cost))
    if not rows:
        return
    accounts = dict(_ACCOUNTS.rows(sorted({str(row.role) for row in rows})))
    entries = [
        SimpleNamespace(
            date=document.date,
            document_type=document.catalog_name,
            document_id=document.pk,
            role=str(row.role),
            account_id=accounts.get(row.role),
            counterparty_id=document.counterparty_id if row.role in _DEBTS else None,
            currency_id=currency_id,
            debit=row.debit,
            credit=row.credit,
        )
        for row in rows
    ]
    LedgerEntry.objects.insert(entries)
