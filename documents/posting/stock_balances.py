"""The stock balances of a document's items, locked until its transaction ends. Posting
reads and changes them with one query per table, however many lines there are."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any, Final

from django.db import connection
from django.db.models import Min, QuerySet, Sum

from documents.posting.movements import ZERO, Stock
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
Pair = tuple[int, int]
Later = dict[Pair, list[tuple[datetime, Stock]]]


@dataclass(slots=True)
class _Balance:
    """A row of the balances, with its columns by name."""

    item_id: int
    warehouse_id: int
    currency_id: int | None = None
    quantity: Decimal = ZERO
    value: Decimal = ZERO
    movements: int = 0


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
_LATER = PreparedQuery(
    lambda moment, items, warehouses: (
        _later(moment, items, warehouses)
        .values_list("item_id", "warehouse_id")
        .annotate(Min("date"), Sum("quantity"), Sum("value"), Min("quantity"))
    )
)
_LATER_BY_DATE = PreparedQuery(
    lambda moment, items, warehouses: (
        _later(moment, items, warehouses)
        .values_list("item_id", "warehouse_id", "date")
        .annotate(Sum("quantity"), Sum("value"))
    )
)


class LockedBalances:
    """The locked balances of pairs of item and warehouse."""

    def __init__(self, pairs: Iterable[Pair]) -> None:
        wanted = sorted(set(pairs))
        self._of = (
            sorted({item for item, _ in wanted}),
            sorted({warehouse for _, warehouse in wanted}),
        )
        found = _by_pair(_BALANCES.rows(*self._of))
        missing = [_Balance(*pair) for pair in wanted if pair not in found]
        if missing:
            # Before any lock, and in order, so that two documents can't deadlock.
            StockBalance.objects.insert(missing, unique=())
        if missing or connection.features.has_select_for_update:
            found = _by_pair(_LOCKED.rows(*self._of))
        self._balances = {pair: found[pair] for pair in wanted}

    def stock(self, pair: Pair) -> Stock:
        """Return the stock of a pair: the sum of its movements."""
        balance = self._balances[pair]
        return Stock(balance.quantity, balance.value)

    def currency(self, pair: Pair) -> int | None:
        """Return the currency of a pair's value, None if there are no movements."""
        return self._balances[pair].currency_id

    def put(self, pair: Pair, change: Stock, currency_id: int) -> None:
        """Add a movement; issues are negative."""
        balance, after = self._balances[pair], self.stock(pair) + change
        balance.quantity, balance.value = after.quantity, after.value
        balance.movements += 1
        balance.currency_id = currency_id

    def remove(self, pair: Pair, change: Stock) -> None:
        """Remove a movement; removing the last one clears the currency."""
        balance, after = self._balances[pair], self.stock(pair) - change
        balance.quantity, balance.value = after.quantity, after.value
        balance.movements -= 1
        if not balance.movements:
            balance.currency_id = None

    def revalue(self, pair: Pair, more: Decimal) -> None:
        """Add to the value of a stock without a movement."""
        self._balances[pair].value += more

    def later(self, moment: datetime, *, by_date: bool) -> Later:
        """Return the changes after a time: one sum per pair, or per pair and date.

        By default dates are separated only for items that are issued later: where there
        are only receipts, no later time can be the worst one.
        """
        found: Later = {pair: [] for pair in self._balances}
        items = {item for item, _ in found}
        if not by_date:
            items = set()
            sums = _LATER.rows(moment, *self._of)
            for item, warehouse, date, quantity, value, least in sums:
                if (item, warehouse) not in found:
                    continue
                found[item, warehouse] = [(date, Stock(quantity, value))]
                if least < 0:
                    items.add(item)
        if items:
            self._separate_dates(found, moment, items)
        return found

    def _separate_dates(self, found: Later, moment: datetime, items: set[int]) -> None:
        """Replace the later history of some items by one sum per date."""
        for pair in found:
            if pair[0] in items:
                found[pair] = []
        sums = _LATER_BY_DATE.rows(moment, sorted(items), self._of[1])
        for item, warehouse, date, quantity, value in sums:
            if (item, warehouse) in found:
                found[item, warehouse].append((date, Stock(quantity, value)))

    def save(self) -> None:
        """Write all balances in one statement."""
        StockBalance.objects.insert([*self._balances.values()], unique=_KEY)


def _by_pair(rows: Iterable[Any]) -> dict[Pair, _Balance]:
    return {(row[0], row[1]): _Balance(*row) for row in rows}


def stock_at(
    total: Stock, later: list[tuple[datetime, Stock]], moment: datetime
) -> Stock:
    """Return the stock after everything dated up to a time."""
    stock = total
    for date, change in later:
        if date > moment:
            stock = stock - change
    return stock
