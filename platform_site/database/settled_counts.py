"""Counts of the rows of a table that grows: once many are counted, only those that came
since are counted again."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from datetime import timedelta
from typing import Any, Final, NamedTuple

from django.db import connections
from django.db.models import QuerySet
from django.utils import timezone

# Fewer are counted in no time.
_MANY: Final = 10_000
# So many new rows may be counted each time, before they count as settled too.
_NEW: Final = 5_000
_KEPT: Final = 200
# Longer than any transaction that writes such a row.
_SETTLED_AFTER: Final = timedelta(hours=1)


class _Settled(NamedTuple):
    """The number of rows of a query that have keys up to ``last``, after so many
    moves."""

    last: int
    number: int
    moves: int


class SettledCounts:
    """The numbers of rows that were counted before, by query.

    ``moment`` names the column with the time at which a row was written. Rows that were
    counted may only be deleted, or come back, in a transaction after which ``moves``
    returns a higher number: then everything is counted anew.
    """

    def __init__(self, moment: str, moves: Callable[[], int] = lambda: 0) -> None:
        self._moment = moment
        self._moves = moves
        self._known: OrderedDict[Any, _Settled] = OrderedDict()
        self._lock = threading.Lock()

    def count(self, rows: QuerySet[Any]) -> int:
        """Return the number of rows that a query finds.

        Within a transaction nothing is kept: its own rows may be rolled back.
        """
        if connections[rows.db].in_atomic_block:
            return _counted(rows)
        rows = rows.order_by()
        key = (rows.db, str(rows.query))
        with self._lock:
            known = self._known.get(key)
        # Asked before anything is counted, so that no number is taken for a later one.
        moves = self._moves() if known else 0
        if known is None or known.moves != moves:
            number = _counted(rows)
            if number >= _MANY:
                self._settle(key, rows)
            elif known:
                self._forget(key)
            return number
        newer = rows.model._base_manager.using(rows.db).filter(pk__gt=known.last)
        count = _counted(newer.order_by()[: _NEW + 1])
        if count > _NEW:
            known = self._settle(key, rows, known) or known
        return known.number + (_counted(rows.filter(pk__gt=known.last)) if count else 0)

    def _settle(
        self, key: Any, rows: QuerySet[Any], known: _Settled | None = None
    ) -> _Settled | None:
        """Count the rows that can't become more, apart from those known before."""
        before = known or _Settled(0, 0, self._moves())
        last = self._last_settled(rows)
        if last <= before.last:
            return known
        settled = rows.filter(pk__gt=before.last) if known else rows
        if not _in_order_of_keys(rows):
            settled = settled.filter(pk__lte=last)
        kept = _Settled(last, before.number + _counted(settled), before.moves)
        if _in_order_of_keys(rows) and self._last_settled(rows) != last:
            return known  # rows were added in between
        with self._lock:
            self._known[key] = kept
            self._known.move_to_end(key)
            while len(self._known) > _KEPT:
                self._known.popitem(last=False)
        return kept

    def _forget(self, key: Any) -> None:
        with self._lock:
            self._known.pop(key, None)

    def _last_settled(self, rows: QuerySet[Any]) -> int:
        """Return the key up to which no row can appear any more, 0 if there is none.

        Where transactions may commit lower keys than others, they don't do so late.
        """
        table = rows.model._base_manager.using(rows.db)
        if _in_order_of_keys(rows):
            found = table.order_by("-pk")
        else:
            before = timezone.now() - _SETTLED_AFTER
            written = table.filter(**{f"{self._moment}__lt": before})
            found = written.order_by(f"-{self._moment}", "-pk")
        last: int = found.values_list("pk", flat=True).first() or 0
        return last


def _in_order_of_keys(rows: QuerySet[Any]) -> bool:
    """Return whether rows appear in the order of their keys: SQLite has one writer."""
    return connections[rows.db].vendor == "sqlite"


def _counted(rows: QuerySet[Any]) -> int:
    number: int = rows.query.get_count(using=rows.db)
    return number
