"""Posting of documents. Saving a document calls it in the same transaction, with the
row locked. The queries are set-based and read only later history."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from types import SimpleNamespace
from typing import Any

from django.db.models import Sum

from catalogs.models import Account, Item
from documents.posting import refusals
from documents.posting.movements import (
    LIMIT,
    ZERO,
    Movement,
    MovementLine,
    Stock,
    issue,
    line_amount,
    receive,
    sides,
    total,
)
from documents.posting.shortages import Shortage, shortages
from documents.posting.stock_balances import Later, LockedBalances, Pair, stock_at
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


@dataclass(frozen=True, slots=True)
class _Removed:
    """A movement removed from the register."""

    pair: Pair
    date: datetime
    change: Stock


def settle(document: Any, *, was: bool, active: bool) -> None:
    """Replace the register entries of a document; ``was`` tells whether it has any.

    Raise Refusal if stock would be negative at any time, or if a currency doesn't
    match; the caller must then roll back.
    """
    with changing_registers():
        removed = _remove(document) if was else []
        lines = _stocked_lines(document) if active and document.stock_sign else []
        currency_id = document.ledger_currency_id if active else 0
        cost = ZERO
        if removed or lines:
            cost = _move(document, removed, lines, currency_id)
        if active:
            enter(document, cost, currency_id)


def _remove(document: Any) -> list[_Removed]:
    """Delete the movements and entries of a document; return the movements."""
    own = {"document_type": document.catalog_name, "document_id": document.pk}
    LedgerEntry.objects.filter(**own).delete()
    if not document.stock_sign:
        return []
    movements = StockMovement.objects.filter(**own)
    removed = [
        _Removed((item, warehouse), date, Stock(quantity, value))
        for item, warehouse, date, quantity, value in movements.values_list(
            "item_id", "warehouse_id", "date", "quantity", "value"
        )
    ]
    movements.delete()
    return removed


def _stocked_lines(document: Any) -> list[MovementLine]:
    """Return the lines that move stock; services don't."""
    said = document.lines
    wanted = {line["item_id"] for line in said}
    services = {key for (key,) in _SERVICES.rows(sorted(wanted))}
    return [
        MovementLine(
            line["item_id"],
            line["quantity"],
            line_amount(line["quantity"], line["price"]),
        )
        for line in said
        if line["item_id"] not in services
    ]


def _move(
    document: Any, removed: list[_Removed], lines: list[MovementLine], currency_id: int
) -> Decimal:
    """Change the stock and return the cost of what was issued."""
    warehouse_id = document.warehouse_id
    new = {(line.item, warehouse_id) for line in lines}
    balances = LockedBalances({*(each.pair for each in removed), *new})
    for each in removed:
        balances.remove(each.pair, each.change)
    others = [(p, c) for p in sorted(new) if (c := balances.currency(p))]
    wrong = [(pair, known) for pair, known in others if known != currency_id]
    if wrong:
        raise refusals.other_currency(wrong, currency_id)
    if document.stock_sign < 0:
        movements = _issued(document, balances, removed, lines)
    else:
        movements = receive(lines)
        if removed:
            _check(document, balances, removed, lines)
    for movement in movements:
        pair = (movement.item, warehouse_id)
        balances.put(pair, movement.change, currency_id)
        after = balances.stock(pair)
        if max(abs(after.quantity), abs(after.value)) >= LIMIT:
            raise refusals.too_much(pair)
    _write(document, movements)
    balances.save()
    return (
        -total(m.change.value for m in movements) if document.stock_sign < 0 else ZERO
    )


def _issued(
    document: Any,
    balances: LockedBalances,
    removed: list[_Removed],
    lines: list[MovementLine],
) -> list[Movement]:
    """Return the movements of an issue, at the cost on its date."""
    later = _check(document, balances, removed, lines)
    warehouse_id, date = document.warehouse_id, document.date
    stocks = {}
    for line in lines:
        pair = (line.item, warehouse_id)
        stocks[line.item] = stock_at(balances.stock(pair), later[pair], date)
    return issue(lines, stocks)


def _check(
    document: Any,
    balances: LockedBalances,
    removed: list[_Removed],
    lines: list[MovementLine],
) -> Later:
    """Refuse a stock that would be negative at any time; return the later history."""
    dates = [each.date for each in removed] + ([document.date] if lines else [])
    since = min(dates)
    later = balances.later(since, by_date=bool(lines) and since < document.date)
    own: dict[Pair, Decimal] = {}
    for line in lines:
        pair = (line.item, document.warehouse_id)
        own[pair] = own.get(pair, ZERO) + line.quantity
    lacks = []
    for pair, history in later.items():
        moved = own.get(pair, ZERO)
        opening = stock_at(balances.stock(pair), history, since).quantity
        changes = [(date, change.quantity) for date, change in history]
        changes.append((document.date, document.stock_sign * moved))
        found = shortages(opening, since, changes)
        if found:
            lacks.append(_shortage(document, pair, found, moved))
    if lacks:
        raise refusals.NotEnoughStock(lacks)
    return later


def _shortage(
    document: Any, pair: Pair, found: Sequence[Shortage], moved: Decimal
) -> refusals.Lack:
    """Return a shortage as users understand it, without the document's own movements.

    For an issue, needed is the quantity of its lines and available is the stock without
    it. For a receipt that is reduced too far, needed is the quantity of the first later
    documents that lack stock, and available is what they would find.
    """
    if document.stock_sign < 0:
        worst = max(found, key=lambda each: each.lacking)
        moment, needed, lacking = worst.moment, moved, worst.lacking
    else:
        moment, lacking = found[0].moment, found[0].lacking
        needed = _taken(pair, moment)
    available = needed - lacking
    line = _line_beyond(document, pair[0], available)
    return refusals.Lack(pair, moment, needed, available, line)


def _taken(pair: Pair, moment: datetime) -> Decimal:
    """Return the quantity issued at one instant; queried only for the error message."""
    taken = StockMovement.objects.filter(
        item_id=pair[0], warehouse_id=pair[1], date=moment, quantity__lt=0
    )
    found: Decimal | None = taken.aggregate(all=Sum("quantity"))["all"]
    return -(found or ZERO)


def _line_beyond(document: Any, item: int, available: Decimal) -> int | None:
    """Return the number of the line at which the stock of an item no longer suffices.

    For a receipt it is the first line with the item; None if there is none.
    """
    numbered = enumerate(document.lines, start=1)
    own = [(n, line["quantity"]) for n, line in numbered if line["item_id"] == item]
    taken = ZERO
    for number, quantity in own:
        taken += quantity
        if document.stock_sign > 0 or taken > available:
            return number
    return None


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
