"""Posting in a dry run: the registers as the run would have changed them so far. It
only reads the database, window by window."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from decimal import Decimal
from operator import itemgetter
from typing import Any

from catalogs.models import Item
from documents.posting.balances import Balance, Balances, Removed
from documents.posting.movements import ZERO, Later, Own, Pair, Stock
from documents.posting.planned_movements import PlannedMovements
from documents.posting.refusals import stored_row
from documents.posting.services import services_among, stored_movements
from documents.posting.settlement import Settlement, stocked_lines
from documents.posting.stock_balances import (
    stored_balances,
    stored_history,
    stored_taken,
)
from importer.targets import RowLookup, Write

_Changes = list[tuple[datetime, Stock]]
_date_of = itemgetter(0)


class SimulatedStock:
    """The stock register with what a dry run would have posted so far.

    It keeps the balances of the pairs that documents name, and their planned movements.
    What the database has besides is kept for a window only.
    """

    def __init__(self) -> None:
        self._balances: dict[Pair, Balance] = {}
        self._planned: dict[Pair, PlannedMovements] = {}
        self._history: dict[Pair, tuple[datetime, _Changes]] = {}
        self._stored: dict[tuple[str, int], list[Removed]] = {}
        self._services: dict[int, bool] = {}

    def note_item(self, item: Item) -> None:
        """Note an item whose category changes."""
        self._services[item.pk] = _is_service(item)

    def load(
        self, model: Any, writes: Iterable[Write], typed: Callable[[str, Any], Any]
    ) -> None:
        """Load what the writes of a window may need, with one query per table.

        ``typed`` returns the value of a property in the form of the model.
        """
        if not model.stock_sign:
            return
        posting = [w for w in writes if w.submit or (w.row and w.row.is_active)]
        self._history, self._stored = {}, {}
        posted = [w.row for w in posting if w.row is not None and w.row.is_active]
        self._load_movements(model, posted)
        removed = [each for found in self._stored.values() for each in found]
        pairs = {each.pair for each in removed}
        dates = [each.date for each in removed]
        for write in posting:
            pairs |= _pairs(write)
            dates += _dates(write, typed)
        self._load_balances(pairs)
        if dates and (removed or model.stock_sign < 0):
            self._load_history(pairs, min(dates))

    def settle(
        self, document: Any, lookup: RowLookup, *, was: bool, active: bool
    ) -> None:
        """Plan the movements of a document; raise Refusal as posting would."""
        if not document.stock_sign:
            return

        def row_of(model: type[Any], key: int) -> Any:
            return lookup.row(model, key) or stored_row(model, key)

        def services(items: Sequence[int]) -> set[int]:
            rows = {item: lookup.row(Item, item) for item in items}
            unknown = [item for item, row in rows.items() if row is None]
            found = {i for i, row in rows.items() if row and _is_service(row)}
            found |= services_among(unknown) if unknown else set()
            changed = self._services
            return {i for i in items if changed.get(i, i in found)}

        removed = self._movements_of(document) if was else []
        lines = stocked_lines(document, services) if active else []
        if not (removed or lines):
            return
        settlement = Settlement(document, removed, lines)
        self._load_balances(settlement.pairs)
        copies = {pair: replace(self._balances[pair]) for pair in settlement.pairs}
        balances = _SimulatedBalances(copies, self, document)
        currency_id = document.ledger_currency_id if active else 0
        settlement.movements(balances, currency_id, row_of)
        self._balances |= copies
        for pair, date, change in balances.moved:
            planned = self._planned.setdefault(pair, PlannedMovements())
            planned.add(date, change, issued=document.stock_sign < 0)

    def later(self, pair: Pair, moment: datetime) -> _Changes:
        """Return the changes of a pair after a time, stored and planned ones."""
        if min(pair) > 0 and not self._reaches(pair, moment):
            self._load_history({pair}, moment)
        stored = self._history[pair][1] if pair in self._history else []
        found = stored[bisect_right(stored, moment, key=_date_of) :]
        planned = self._planned.get(pair)
        return found if planned is None else [*found, *planned.after(moment)]

    def taken(self, pair: Pair, moment: datetime) -> Decimal:
        """Return the quantity issued at one instant, stored and planned."""
        planned = self._planned.get(pair)
        found = ZERO if planned is None else planned.taken(moment)
        return found + stored_taken(pair, moment)

    def _reaches(self, pair: Pair, moment: datetime) -> bool:
        return pair in self._history and self._history[pair][0] <= moment

    def _load_balances(self, pairs: Collection[Pair]) -> None:
        missing = [pair for pair in pairs if pair not in self._balances]
        stored = [pair for pair in missing if min(pair) > 0]
        found = stored_balances(stored) if stored else {}
        for pair in missing:
            self._balances[pair] = found.get(pair) or Balance(*pair)

    def _load_history(self, pairs: Collection[Pair], moment: datetime) -> None:
        stored = [pair for pair in pairs if min(pair) > 0]
        if stored:
            for pair, changes in stored_history(stored, moment).items():
                self._history[pair] = moment, changes

    def _movements_of(self, document: Any) -> list[Removed]:
        key = document.catalog_name, document.pk
        if key not in self._stored:
            self._load_movements(type(document), [document])
        return self._stored[key]

    def _load_movements(self, model: Any, documents: Sequence[Any]) -> None:
        if documents:
            found = stored_movements(model, [document.pk for document in documents])
            for key, movements in found.items():
                self._stored[model.catalog_name, key] = movements


class _SimulatedBalances(Balances):
    """The balances for one document, with the movements that it would change."""

    def __init__(
        self, balances: dict[Pair, Balance], stock: SimulatedStock, document: Any
    ) -> None:
        super().__init__(balances)
        self._stock = stock
        self._date = document.date
        self.moved: list[tuple[Pair, datetime, Stock]] = []

    def put(self, pair: Pair, change: Stock, currency_id: int) -> None:
        """Add a movement."""
        super().put(pair, change, currency_id)
        self.moved.append((pair, self._date, change))

    def remove(self, removed: Removed) -> None:
        """Remove a movement."""
        super().remove(removed)
        self.moved.append((removed.pair, removed.date, -removed.change))

    def later(self, moment: datetime, own: Own | None) -> Later:
        """Return the changes after a time, without the removed movements."""
        found = {pair: self._stock.later(pair, moment) for pair in self._balances}
        for pair, date, change in self.moved:
            if date > moment:
                found[pair].append((date, change))
        return found

    def taken(self, pair: Pair, moment: datetime) -> Decimal:
        """Return the quantity issued at one instant."""
        return self._stock.taken(pair, moment)


def _is_service(item: Item) -> bool:
    return item.category == Item.Category.SERVICE


def _pairs(write: Write) -> set[Pair]:
    """Return the pairs of a write, as far as they can be told before it is validated."""
    said, row = write.values or {}, write.row
    warehouse = said.get("warehouseId") or (row and row.warehouse_id)
    lines = said.get("lines")
    items = (
        [line.get("itemId") for line in lines]
        if lines
        else [line["item_id"] for line in (row.lines if row else ())]
    )
    return {(item, warehouse) for item in items if item and warehouse}


def _dates(write: Write, typed: Callable[[str, Any], Any]) -> list[datetime]:
    """Return the date of a write, none if it is invalid."""
    said, row = write.values or {}, write.row
    date = typed("date", said.get("date")) or (row and row.date)
    return [date] if date else []
