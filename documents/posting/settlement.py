"""The judgement of posting: what a document moves in stock, and whether it may.

A save and a dry run share it. It reads and changes the balances given to it, and
neither queries nor writes the database itself.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from decimal import Decimal
from typing import Any

from documents.posting import refusals
from documents.posting.balances import Balances, Removed
from documents.posting.movements import (
    LIMIT,
    ZERO,
    Later,
    Movement,
    MovementLine,
    Pair,
    issue,
    line_amount,
    receive,
    stock_at,
)
from documents.posting.shortages import Shortage, shortages


def stocked_lines(
    document: Any, services_among: Callable[[Sequence[int]], Collection[int]]
) -> list[MovementLine]:
    """Return the lines that move stock; services don't."""
    said = document.lines
    services = services_among(sorted({line["item_id"] for line in said}))
    return [
        MovementLine(
            line["item_id"],
            line["quantity"],
            line_amount(line["quantity"], line["price"]),
        )
        for line in said
        if line["item_id"] not in services
    ]


class Settlement:
    """The replacement of a document's movements by those of its lines."""

    def __init__(
        self, document: Any, removed: Sequence[Removed], lines: Sequence[MovementLine]
    ) -> None:
        self._document = document
        self._removed = removed
        self._lines = lines
        warehouse_id = document.warehouse_id
        # In the order of the lines, and so that of the problems: planned rows have no
        # keys to order them by.
        self._new = list(dict.fromkeys((line.item, warehouse_id) for line in lines))
        old = sorted({each.pair for each in removed})
        self.pairs: list[Pair] = list(dict.fromkeys([*self._new, *old]))
        """The pairs whose balances it needs."""

    def movements(
        self,
        balances: Balances,
        currency_id: int,
        row_of: refusals.RowOf = refusals.stored_row,
    ) -> list[Movement]:
        """Change the balances and return the new movements.

        Raise Refusal if stock would be negative at any time, if a currency doesn't
        match, or if a stock doesn't fit its column; the balances are then of no use.
        """
        document, removed = self._document, self._removed
        for each in removed:
            balances.remove(each)
        others = [(p, c) for p in self._new if (c := balances.currency(p))]
        wrong = [(pair, known) for pair, known in others if known != currency_id]
        if wrong:
            raise refusals.other_currency(wrong, currency_id, row_of)
        if document.stock_sign < 0:
            movements = self._issued(balances, row_of)
        else:
            movements = receive(self._lines)
            if removed:
                self._check(balances, row_of)
        for movement in movements:
            pair = (movement.item, document.warehouse_id)
            balances.put(pair, movement.change, currency_id)
            after = balances.stock(pair)
            # At a date in the past the stock may have been worth more than today.
            worth = max(abs(after.value), abs(movement.change.value))
            if max(abs(after.quantity), worth) >= LIMIT:
                raise refusals.too_much(pair, row_of)
        return movements

    def _issued(self, balances: Balances, row_of: refusals.RowOf) -> list[Movement]:
        """Return the movements of an issue, at the cost on its date."""
        later = self._check(balances, row_of)
        warehouse_id, date = self._document.warehouse_id, self._document.date
        stocks = {}
        for line in self._lines:
            pair = (line.item, warehouse_id)
            stocks[line.item] = stock_at(balances.stock(pair), later[pair], date)
        return issue(self._lines, stocks)

    def _check(self, balances: Balances, row_of: refusals.RowOf) -> Later:
        """Refuse a stock that would be negative at any time; return the later
        history."""
        document, lines = self._document, self._lines
        dates = [each.date for each in self._removed]
        since = min(dates + ([document.date] if lines else []))
        own: dict[Pair, Decimal] = {}
        for line in lines:
            pair = (line.item, document.warehouse_id)
            moved = document.stock_sign * line.quantity
            own[pair] = own.get(pair, ZERO) + moved
        is_later = bool(lines) and since < document.date
        later = balances.later(since, None if is_later else own)
        lacks = []
        for pair in self.pairs:
            history = later[pair]
            moved = own.get(pair, ZERO)
            opening = stock_at(balances.stock(pair), history, since).quantity
            changes = [(date, change.quantity) for date, change in history]
            changes.append((document.date, moved))
            found = shortages(opening, since, changes)
            if found:
                lacks.append(self._lack(pair, found, abs(moved), balances))
        if lacks:
            raise refusals.NotEnoughStock(lacks, row_of)
        return later

    def _lack(
        self,
        pair: Pair,
        found: Sequence[Shortage],
        moved: Decimal,
        balances: Balances,
    ) -> refusals.Lack:
        """Return a shortage as users understand it, without the document's own
        movements.

        For an issue, needed is the quantity of its lines and available is the stock
        without it. For a receipt that is reduced too far, needed is the quantity of the
        first later documents that lack stock, and available is what they would find.
        """
        if self._document.stock_sign < 0:
            worst = max(found, key=lambda each: each.lacking)
            moment, needed, lacking = worst.moment, moved, worst.lacking
        else:
            moment, lacking = found[0].moment, found[0].lacking
            needed = balances.taken(pair, moment)
        available = needed - lacking
        line = self._line_beyond(pair[0], available)
        return refusals.Lack(pair, moment, needed, available, line)

    def _line_beyond(self, item: int, available: Decimal) -> int | None:
        """Return the number of the line at which the stock of an item no longer
        suffices.

        For a receipt it is the first line with the item; None if there is none.
        """
        numbered: Iterable[tuple[int, Any]] = enumerate(self._document.lines, start=1)
        own = [(n, line["quantity"]) for n, line in numbered if line["item_id"] == item]
        taken = ZERO
        for number, quantity in own:
            taken += quantity
            if self._document.stock_sign > 0 or taken > available:
                return number
        return None
