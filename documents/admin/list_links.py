"""Links to lists of documents and registers that show what is behind a number."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from django.db import models
from django.urls import reverse
from django.utils.http import urlencode

from documents.models import LedgerEntry, StockMovement
from documents.registers.balances import LedgerBalance, StockOnHand


def list_link(model: type[models.Model], **filters: Any) -> str:
    """Return the address of a list with its filters; those with None are left out."""
    opts = model._meta
    path = reverse(f"admin:{opts.app_label}_{opts.model_name}_changelist")
    query = urlencode({name: v for name, v in filters.items() if v is not None})
    return f"{path}?{query}" if query else path


def between(start: datetime | None, end: datetime | None) -> dict[str, str]:
    """Return the filters for dates from a moment to one that doesn't belong to it."""
    edges = {"date__gte": start, "date__lt": end}
    return {name: edge.isoformat() for name, edge in edges.items() if edge is not None}


def movements_link(row: StockOnHand, as_of: datetime | None) -> str:
    """Return the address of the movements that make up a stock."""
    return list_link(
        StockMovement,
        item__id__exact=row.item_id,
        warehouse__id__exact=row.warehouse_id,
        **_up_to(as_of),
    )


def entries_link(row: LedgerBalance, as_of: datetime | None) -> str:
    """Return the address of the entries that make up a balance."""
    return list_link(
        LedgerEntry,
        role__exact=row.role,
        currency__id__exact=row.currency_id,
        **_key("account", row.account_id),
        **_key("counterparty", row.counterparty_id),
        **_up_to(as_of),
    )


def _key(name: str, key: int | None) -> dict[str, Any]:
    """Return the filter for a reference, which may be empty."""
    return {f"{name}__isnull": True} if key is None else {f"{name}__id__exact": key}


def _up_to(as_of: datetime | None) -> dict[str, str]:
    """Return the filter for what counts at a moment, which itself belongs to it."""
    return {} if as_of is None else between(None, as_of + timedelta.resolution)
