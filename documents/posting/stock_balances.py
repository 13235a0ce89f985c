"""The stock balances of a document's items, locked until its transaction ends. Posting
reads and changes them with one query per table, however many lines there are."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from datetime import datetime
from decimal import Decimal
from typing import Any, Final

from django.db import connection
from django.db.models import Min, Q, QuerySet, Sum

from documents.posting.balances import Balance, Balances
from documents.posting.movements import ZERO, Later, Own, Pair, Stock
from documents.registers.stock import StockBalance, StockMovement
from platform_site.database.prepared_queries import PreparedQuery

_KEY: Final = ("item", "warehouse")
_COLUMNS: Final = (
    "item_id",
    "warehouse_id",
    "currency_id",
    "quantity",
    "value",
    "movements",
)


def _balances(items: Any, warehouses: Any) -> QuerySet[Any, Any]:
    wanted = {"item_id__one_of": items, "warehouse_id__one_of": warehouses}
    return StockBalance.objects.filter(**wanted).values_list(*_COLUMNS)


def _locked(items: Any, warehouses: Any) -> QuerySet[Any, Any]:
    rows = _balances(items, warehouses).order_by("item_id", "warehouse_id")
    return rows.select_for_update(no_key=True)


def _later(moment: Any, items: Any, warehouses: Any) -> QuerySet[Any, Any]:
    wanted = {"item_id__one_of": items, "warehouse_id__one_of": warehouses}
    return StockMovement.objects.filter(date__gt=moment, **wanted)


_BALANCES = PreparedQuery(_balances)
_LOCKED = PreparedQuery(_locked)
_ISSUED: Final = Sum("quantity", filter=Q(quantity__lt=0))
_LATER = PreparedQuery(
    lambda moment, items, warehouses: (
        _later(moment, items, warehouses)
        .values_list("item_id", "warehouse_id")
        .annotate(Min("date"), Sum("quantity"), Sum("value"), issued=_ISSUED)
    )
)
_LATER_BY_DATE = PreparedQuery(
    lambda moment, items, warehouses: (
        _later(moment, items, warehouses)
        .values_list("item_id", "warehouse_id", "date")
        .annotate(Sum("quantity"), Sum("value"))
    )
)


class LockedBalances(Balances):
    """The locked balances of pairs of item and warehouse."""

    def __init__(self, pairs: Iterable[Pair]) -> None:
        wanted = sorted(set(pairs))
        self._of = _items_and_warehouses(wanted)
        found = _by_pair(_BALANCES.rows(*self._of))
        missing = [Balance(*pair) for pair in wanted if pair not in found]
        if missing:
            # Before any lock, and in order, so that two documents can't deadlock.
            StockBalance.objects.insert(missing, unique=())
        if missing or connection.features.has_select_for_update:
            found = _by_pair(_LOCKED.rows(*self._of))
        super().__init__({pair: found[pair] for pair in wanted})

    def revalue(self, pair: Pair, more: Decimal) -> None:
        """Add to the value of a stock without a movement."""
        self._balances[pair].value += more

    def later(self, moment: datetime, own: Own | None) -> Later:
        """Return the changes after a time: one sum per pair, or per pair and date."""
        found: Later = {pair: [] for pair in self._balances}
        pairs = list(found)
        if own is not None:
            pairs = []
            sums = _LATER.rows(moment, *self._of)
            for item, warehouse, date, quantity, value, issued in sums:
                pair = (item, warehouse)
                if pair not in found:
                    continue
                found[pair] = [(date, Stock(quantity, value))]
                # What is left if everything is issued before anything is received.
                least = self._balances[pair].quantity - quantity + (issued or ZERO)
                if issued and least + min(own.get(pair, ZERO), ZERO) < 0:
                    pairs.append(pair)
        return {**found, **stored_history(pairs, moment)} if pairs else found

    def taken(self, pair: Pair, moment: datetime) -> Decimal:
        """Return the quantity issued at one instant, with a query."""
        return stored_taken(pair, moment)

    def save(self) -> None:
        """Write all balances in one statement."""
        StockBalance.objects.insert([*self._balances.values()], unique=_KEY)


def stored_balances(pairs: Collection[Pair]) -> dict[Pair, Balance]:
    """Return the balances of pairs without locking them, with one query."""
    return _by_pair(_BALANCES.rows(*_items_and_warehouses(pairs)))


def stored_history(pairs: Collection[Pair], moment: datetime) -> Later:
    """Return the changes of pairs after a time by date, in order, with one query."""
    found: Later = {pair: [] for pair in pairs}
    sums = _LATER_BY_DATE.rows(moment, *_items_and_warehouses(pairs))
    for item, warehouse, date, quantity, value in sums:
        if (item, warehouse) in found:
            found[item, warehouse].append((date, Stock(quantity, value)))
    for history in found.values():
        history.sort(key=lambda change: change[0])
    return found


def stored_taken(pair: Pair, moment: datetime) -> Decimal:
    """Return the quantity of a pair issued at one instant."""
    taken = StockMovement.objects.filter(
        item_id=pair[0], warehouse_id=pair[1], date=moment, quantity__lt=0
    )
    found: Decimal | None = taken.aggregate(all=Sum("quantity"))["all"]
    return -(found or ZERO)


def _items_and_warehouses(pairs: Collection[Pair]) -> tuple[list[int], list[int]]:
    return (
        sorted({item for item, _ in pairs}),
        sorted({warehouse for _, warehouse in pairs}),
    )


def _by_pair(rows: Iterable[Any]) -> dict[Pair, Balance]:
    return {(row[0], row[1]): Balance(*row) for row in rows}
