"""How far a document is settled by those that refer to it: what is delivered of an order,
and what is paid of a goods issue.

Both are in columns of their own, so that lists can filter by them. Posting writes these,
and neither the version nor ``modified`` of the row moves.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from decimal import Decimal
from operator import itemgetter
from typing import Any, Final

from django.apps import apps
from django.db import connection, models
from django.db.models import F

from documents.posting.movements import LIMIT, PLACES, ZERO, total
from platform_site.database.prepared_queries import PreparedQuery

# A kind of document, and the key of one.
Settled = tuple[type[Any], int]
_MOST: Final = LIMIT - PLACES


def _rows(model: str) -> Any:
    # The models import this module.
    return apps.get_model("documents", model)._base_manager.order_by()


_ORDERED = PreparedQuery(
    lambda order: (
        _rows("SalesOrderLine")
        .filter(document_id=order)
        .values_list("item_id", "quantity")
    )
)
_ISSUED = PreparedQuery(
    lambda order: (
        _rows("GoodsIssueLine")
        .filter(document__order_id=order, document__is_active=True)
        .values_list("document_id", "item_id", "quantity")
    )
)
# An amount in another currency can't be compared with what is due.
_PAID = PreparedQuery(
    lambda issue: (
        _rows("BankReceipt")
        .filter(
            issue_id=issue,
            is_active=True,
            bank_account__currency_id=F("issue__currency_id"),
        )
        .values_list("pk", "is_income", "amount")
    )
)


def ordered_quantities(order: int) -> dict[int, Decimal]:
    """Return the ordered quantity of each item."""
    return _sums(_ORDERED.rows(order))


def issued_quantities(order: int, *, without: int | None = None) -> dict[int, Decimal]:
    """Return the quantity of each item that posted issues of an order have delivered.

    One of them can be left out.
    """
    found = _ISSUED.rows(order)
    return _sums((item, number) for key, item, number in found if key != without)


def delivered_of_lines(
    order: int, lines: Iterable[tuple[int, Decimal]]
) -> list[Decimal]:
    """Return how much of each line of an order is delivered, given the lines' items and
    quantities: of lines with the same item the first ones are delivered first."""
    left = issued_quantities(order)
    found = []
    for item, wanted in lines:
        done = min(wanted, left.get(item, ZERO))
        left[item] = left.get(item, ZERO) - done
        found.append(done)
    return found


def delivery(
    ordered: Mapping[int, Decimal], issued: Mapping[int, Decimal]
) -> dict[str, bool]:
    """Return the columns of an order that tell how much of it is delivered."""
    whole = all(issued.get(item, ZERO) >= wanted for item, wanted in ordered.items())
    return {"is_delivered": whole, "is_part_delivered": not whole and bool(issued)}


def paid_amount(issue: int, *, without: int | None = None) -> Decimal:
    """Return what posted receipts have paid of an issue in its currency, less refunds.

    One of them can be left out.
    """
    found = _PAID.rows(issue)
    paid = total(
        amount if is_income else -amount
        for key, is_income, amount in found
        if key != without
    )
    # The column takes no more, and nobody pays so much.
    return max(-_MOST, min(_MOST, paid))


def settled_by(reference: str, *documents: Any) -> list[Settled]:
    """Return the documents that others refer to, in the order in which to lock them."""
    found: set[Settled] = set()
    for document in documents:
        if document is None or not reference:
            continue
        column = document._meta.get_field(reference)
        key = getattr(document, column.attname)
        if key is not None:
            found.add((column.related_model, key))
    return sorted(found, key=itemgetter(1))


def lock(settled: Iterable[Settled]) -> None:
    """Lock documents whose progress will change until the transaction ends.

    It comes before any lock of stock: others lock their document first as well.
    """
    if not connection.features.has_select_for_update:
        return
    for model, key in settled:
        rows = model._base_manager.select_for_update(no_key=True)
        list(rows.filter(pk=key).values_list("pk"))


def refresh(settled: Iterable[Settled], *, without: int | None = None) -> None:
    """Write the progress of locked documents; one that settles them can be left out."""
    for model, key in settled:
        columns = model.progress_of(key, without=without)
        # Not with its manager, which refuses writes past ``save``.
        rows: models.QuerySet[Any] = models.QuerySet(model)
        rows.filter(pk=key).exclude(**columns).update(**columns)


def _sums(quantities: Iterable[tuple[int, Decimal]]) -> dict[int, Decimal]:
    found: dict[int, Decimal] = {}
    for item, quantity in quantities:
        found[item] = found.get(item, ZERO) + quantity
    return found
