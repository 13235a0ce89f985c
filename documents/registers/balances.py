"""Balances of the registers: stock on hand, and balances and turnovers of the ledger.
They are summed without the referenced rows, whose codes are queried afterwards."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from decimal import Decimal
from typing import Any, Final

import msgspec
from django.db import connections
from django.db.models import QuerySet, Sum

from catalogs.models import Counterparty, Currency, Item, Warehouse
from catalogs.models.catalog import Catalog
from documents.registers.ledger import LedgerEntry
from documents.registers.stock import StockBalance, StockMovement

STOCK_KEYS: Final = ("item_id", "warehouse_id")
_VALUE: Final = StockBalance._meta.get_field("value")
_AT_ONCE: Final = 2_000
LEDGER_KEYS: Final = ("role", "account_id", "counterparty_id", "currency_id")


class ReportRow(msgspec.Struct, frozen=True, gc=False, rename="camel"):
    """A row of a report, which is written as JSON without further steps.

    A report may have 50,000, and dictionaries of them take most of its time.
    """


class StockOnHand(ReportRow, frozen=True, gc=False):
    """The quantity of an item in a warehouse, and its value."""

    item_id: int
    item_code: str
    warehouse_id: int
    warehouse_code: str
    quantity: Decimal
    value: Decimal


class LedgerBalance(ReportRow, frozen=True, gc=False):
    """The debit and credit of a role with one counterparty and currency, and the
    difference."""

    role: str
    account_id: int | None
    counterparty_id: int | None
    counterparty_code: str | None
    currency_id: int
    currency_code: str
    debit: Decimal
    credit: Decimal
    balance: Decimal


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
    if as_of is None:
        # Posting keeps the sum of all movements.
        balances = _filtered(StockBalance.objects.all(), wanted)
        sums = balances.values_list(*STOCK_KEYS, "quantity", "value")
    else:
        movements = _filtered(StockMovement.objects.all(), wanted)
        sums = _sums(movements, as_of, STOCK_KEYS, ("quantity", "value"))
    # Many rows of few items: they are sorted within each item.
    stocks: dict[int, list[Any]] = {}
    places = set()
    unit = _VALUE.unit(connections[sums.db])
    for row in _stored(sums):
        if row[2] or row[3]:
            stocks.setdefault(row[0], []).append(row)
            places.add(row[1])
    warehouses = _codes(Warehouse, places)
    place_of = {key: place for place, key in enumerate(warehouses)}
    found = []
    for item, code in _codes(Item, {*stocks}).items():
        for _, place, quantity, value in sorted(
            stocks[item], key=lambda row: place_of[row[1]]
        ):
            if unit is not None:
                quantity, value = unit * quantity, unit * value
            row = StockOnHand(item, code, place, warehouses[place], quantity, value)
            found.append(row)
    return found


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
    sums = _sums(entries, as_of, LEDGER_KEYS, ("debit", "credit"))
    found = list(sums.order_by(*LEDGER_KEYS))
    counterparties = _codes(Counterparty, {row[2] for row in found if row[2]})
    currencies = _codes(Currency, {row[3] for row in found})
    return [
        LedgerBalance(
            role=role,
            account_id=account,
            counterparty_id=counterparty,
            counterparty_code=counterparties.get(counterparty),
            currency_id=currency,
            currency_code=currencies[currency],
            debit=debit,
            credit=credit,
            balance=debit - credit,
        )
        for role, account, counterparty, currency, debit, credit in found
    ]


def _stored(rows: QuerySet[Any]) -> Iterator[Any]:
    """Yield the values of rows as they are stored: Django's conversion of 50,000 rows
    takes a third of a report's time."""
    compiler = rows.query.get_compiler(rows.db)
    for some in compiler.execute_sql(chunk_size=_AT_ONCE) or ():
        yield from some


def _filtered(rows: QuerySet[Any], wanted: dict[str, Any]) -> QuerySet[Any]:
    return rows.filter(**{k: v for k, v in wanted.items() if v is not None})


def _sums(
    rows: QuerySet[Any],
    as_of: datetime | None,
    keys: Sequence[str],
    columns: Sequence[str],
) -> QuerySet[Any]:
    """Return the sums of columns by keys, which need an index of the register only."""
    if as_of is not None:
        rows = rows.filter(date__lte=as_of)
    sums: QuerySet[Any] = (
        rows.order_by().values_list(*keys).annotate(*map(Sum, columns))
    )
    return sums


def _codes(model: type[Catalog], keys: set[int]) -> dict[int, str]:
    """Return the codes of rows by their keys, in order of the codes."""
    rows = model._base_manager.filter(pk__one_of=sorted(keys)).order_by("code", "pk")
    return dict(rows.values_list("pk", "code"))
