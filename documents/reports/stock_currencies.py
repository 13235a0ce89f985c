"""The currencies in which stock is valued, which only its balances know."""

from __future__ import annotations

from documents.models import StockBalance
from documents.registers.balances import StockOnHand


class StockCurrencies:
    """The currency of each stock, mostly one for all of them."""

    def __init__(self) -> None:
        balances = StockBalance.objects.exclude(currency=None).order_by()
        codes = balances.values_list("currency_id", flat=True).distinct()[:2]
        found = [key for key in codes if key is not None]
        # The one of all stocks, None if there are several or none.
        self.only = found[0] if len(found) == 1 else None
        self._known: dict[tuple[int, int], int | None] = {}
        if len(found) > 1:
            rows = balances.values_list("item_id", "warehouse_id", "currency_id")
            self._known = {(item, place): key for item, place, key in rows}

    def of(self, row: StockOnHand) -> int | None:
        """Return the key of the currency of a stock, None if it isn't known."""
        return self.only or self._known.get((row.item_id, row.warehouse_id))
