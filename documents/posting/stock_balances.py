"""The stock balances of a document's items, locked until its transaction ends. Posting
reads and changes them with one query per table, however many lines there are."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from decimal import Decimal

from django.db.models import Min, QuerySet, Sum

from documents.posting.movements import Stock
from documents.registers.stock import StockBalance, StockMovement

Pair = tuple[int, int]
Later = dict[Pair, list[tuple[datetime, Stock]]]


class LockedBalances:
    """The locked balances of pairs of item and warehouse."""

    def __init__(self, pairs: Iterable[Pair]) -> None:
        wanted = sorted(set(pairs))
        self._of = {
            "item_id__one_of": sorted({item for item, _ in wanted}),
            "warehouse_id__one_of": sorted({warehouse for _, warehouse in wanted}),
        }
        rows = StockBalance.objects.filter(**self._of)
        known = set(rows.values_list("item_id", "warehouse_id"))
        missing = [pair for pair in wanted if pair not in known]
        if missing:
            # Before any lock, and in order, so that two documents can't deadlock.
            StockBalance.objects.bulk_create(
                [StockBalance(item_id=i, warehouse_id=w) for i, w in missing],
                ignore_conflicts=True,
            )
        locked = rows.select_for_update(no_key=True).order_by("item_id", "warehouse_id")
        by_pair = {(each.item_id, each.warehouse_id): each for each in locked}
        self._balances: dict[Pair, StockBalance] = {p: by_pair[p] for p in wanted}

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
        after = StockMovement.objects.filter(date__gt=moment)
        items = {item for item, _ in found}
        if not by_date:
            sums = (
                after.filter(**self._of)
                .values_list("item_id", "warehouse_id")
                .annotate(Min("date"), Sum("quantity"), Sum("value"), Min("quantity"))
            )
            items = set()
            for item, warehouse, date, quantity, value, least in sums:
                if (item, warehouse) not in found:
                    continue
                found[item, warehouse] = [(date, Stock(quantity, value))]
                if least < 0:
                    items.add(item)
        if items:
            self._separate_dates(found, after, items)
        return found

    def _separate_dates(
        self, found: Later, after: QuerySet[StockMovement], items: set[int]
    ) -> None:
        """Replace the later history of some items by one sum per date."""
        for pair in found:
            if pair[0] in items:
                found[pair] = []
        wanted = {**self._of, "item_id__one_of": sorted(items)}
        sums = (
            after.filter(**wanted)
            .values_list("item_id", "warehouse_id", "date")
            .annotate(Sum("quantity"), Sum("value"))
        )
        for item, warehouse, date, quantity, value in sums:
            if (item, warehouse) in found:
                found[item, warehouse].append((date, Stock(quantity, value)))

    def save(self) -> None:
        """Write all balances in one statement."""
        rows = [
            StockBalance(
                item_id=item,
                warehouse_id=warehouse,
                currency_id=balance.currency_id,
                quantity=balance.quantity,
                value=balance.value,
                movements=balance.movements,
            )
            for (item, warehouse), balance in self._balances.items()
        ]
        StockBalance.objects.bulk_create(
            rows,
            update_conflicts=True,
            unique_fields=["item", "warehouse"],
            update_fields=["currency", "quantity", "value", "movements"],
        )


def stock_at(
    total: Stock, later: list[tuple[datetime, Stock]], moment: datetime
) -> Stock:
    """Return the stock after everything dated up to a time."""
    stock = total
    for date, change in later:
        if date > moment:
            stock = stock - change
    return stock
