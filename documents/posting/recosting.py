"""The recalculation of issue costs after back-dated documents have changed the value of
stock. For the issues of a period it corrects the registers in order of date; the
documents themselves stay unchanged."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any

from django.db import transaction
from django.db.models import QuerySet, Sum

from documents.models import GoodsIssue
from documents.posting.movements import ZERO, Pair, Stock, recosted
from documents.posting.services import enter
from documents.posting.stock_balances import LockedBalances
from documents.registers.ledger import LedgerEntry
from documents.registers.register import changing_registers
from documents.registers.stock import StockMovement
from importer.targets import authorise


@dataclass(frozen=True, slots=True)
class Period:
    """A period from a start up to, but not including, an end."""

    start: datetime
    end: datetime

    def of(self, movements: QuerySet[StockMovement]) -> QuerySet[StockMovement]:
        """Return the movements dated in the period."""
        return movements.filter(date__gte=self.start, date__lt=self.end)


@dataclass(frozen=True, slots=True)
class Recosted:
    """The number of issues that were checked, and of those whose cost changed."""

    issues: int
    changed: int


def recalculate_costs(*, period: Period, actor: Any) -> Recosted:
    """Correct the cost of every posted issue of a period, in order of date.

    Issues with the same date are ordered by their keys and come after receipts. Each
    item in a warehouse has its own transaction, so an interrupted recalculation can be
    repeated.
    """
    authorise(actor, GoodsIssue, "post")
    issued = period.of(_issued())
    pairs = sorted(set(issued.values_list("item_id", "warehouse_id")))
    changed: set[int] = set()
    for pair in pairs:
        with transaction.atomic():
            changed |= _recost(pair, period)
    return Recosted(issued.values("document_id").distinct().count(), len(changed))


def _issued() -> QuerySet[StockMovement]:
    return StockMovement.objects.filter(document_type=GoodsIssue.catalog_name)


def _recost(pair: Pair, period: Period) -> set[int]:
    """Correct one item in one warehouse; return the keys of the changed issues."""
    of_pair = {"item_id": pair[0], "warehouse_id": pair[1]}
    issues = period.of(_issued().filter(**of_pair)).values("document_id")
    # In the order of posting, documents before balances, so that the two can't
    # deadlock. Nobody posts or unposts these documents until the end.
    locked = GoodsIssue._base_manager.select_for_update(no_key=True)
    documents = {d.pk: d for d in locked.filter(pk__in=issues).order_by("pk")}
    with changing_registers():
        balances = LockedBalances({pair})
        wrong = _corrected(StockMovement.objects.filter(**of_pair), period)
        if not wrong:
            return set()
        movements = [movement for movement, _ in wrong]
        StockMovement.objects.bulk_update(movements, ["value"])
        balances.revalue(pair, sum((more for _, more in wrong), ZERO))
        balances.save()
        changed = {movement.document_id for movement in movements}
        _enter_again([documents[key] for key in sorted(changed)])
        return changed


def _corrected(
    movements: QuerySet[StockMovement], period: Period
) -> list[tuple[StockMovement, Decimal]]:
    """Return the movements whose value changes, and by how much."""
    before = movements.filter(date__lt=period.start)
    opening = before.aggregate(quantity=Sum("quantity"), value=Sum("value"))
    stock = Stock(opening["quantity"] or ZERO, opening["value"] or ZERO)
    ordered = sorted(
        period.of(movements),
        key=lambda m: (m.date, m.quantity < 0, m.document_id, m.pk),
    )
    changes = recosted(stock, (Stock(m.quantity, m.value) for m in ordered))
    wrong = []
    for movement, change in zip(ordered, changes, strict=True):
        more = change.value - movement.value
        if more:
            movement.value = change.value
            wrong.append((movement, more))
    return wrong


def _enter_again(documents: list[GoodsIssue]) -> None:
    """Replace the ledger entries of issues by those of their new cost."""
    own = {
        "document_type": GoodsIssue.catalog_name,
        "document_id__in": [document.pk for document in documents],
    }
    costs = dict(
        StockMovement.objects.filter(**own)
        .values_list("document_id")
        .annotate(Sum("value"))
    )
    LedgerEntry.objects.filter(**own).delete()
    for document in documents:
        enter(document, -costs[document.pk], document.ledger_currency_id)
