"""The stock of pairs of item and warehouse while a document is settled. Nothing here
uses the database."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from documents.posting.movements import ZERO, Later, Own, Pair, Stock


@dataclass(slots=True)
class Balance:
    """The stock of an item in a warehouse, with the columns of its row by name."""

    item_id: int
    warehouse_id: int
    currency_id: int | None = None
    quantity: Decimal = ZERO
    value: Decimal = ZERO
    movements: int = 0


@dataclass(frozen=True, slots=True)
class Removed:
    """A movement that a document had so far."""

    pair: Pair
    date: datetime
    change: Stock


class Balances:
    """The balances of some pairs, changed movement by movement."""

    def __init__(self, balances: dict[Pair, Balance]) -> None:
        self._balances = balances

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

    def remove(self, removed: Removed) -> None:
        """Remove a movement; removing the last one clears the currency."""
        pair = removed.pair
        balance, after = self._balances[pair], self.stock(pair) - removed.change
        balance.quantity, balance.value = after.quantity, after.value
        balance.movements -= 1
        if not balance.movements:
            balance.currency_id = None

    def later(self, moment: datetime, own: Own | None) -> Later:
        """Return the changes after a time, without the removed movements.

        With the document's own changes at that time, dates need to be separated only
        for pairs whose stock could become negative at a later one.
        """
        raise NotImplementedError(f"{type(self).__name__} has no history.")

    def taken(self, pair: Pair, moment: datetime) -> Decimal:
        """Return the quantity issued at one instant; used only for a message."""
        raise NotImplementedError(f"{type(self).__name__} has no history.")
