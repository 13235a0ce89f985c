"""Totals of the filtered rows of a register. Amounts in different currencies are never
added up."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, OuterRef, QuerySet, Subquery, Sum
from django.utils.translation import gettext, gettext_lazy

from catalogs.models import Account
from documents.models import StockBalance
from platform_site.changes.labels import NOTHING
from platform_site.records.admin.formatting import money, quantity

_ROLES = dict(Account.Role.choices)


@dataclass(frozen=True, slots=True)
class Totals:
    """A small table; each row has its texts and then its formatted numbers."""

    columns: tuple[Any, ...]
    rows: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]


def of_movements(rows: QuerySet[Any]) -> Totals:
    """Return quantity and value for each currency in which stock is valued."""
    stocks = StockBalance.objects.filter(
        item=OuterRef("item"), warehouse=OuterRef("warehouse")
    )
    code = Subquery(stocks.values("currency__code")[:1])
    return _of_stock(rows.annotate(code=code), "code")


def of_balances(rows: QuerySet[Any]) -> Totals:
    """Return quantity and value for each currency."""
    return _of_stock(rows, "currency__code")


def _of_stock(rows: QuerySet[Any], currency: str) -> Totals:
    summed = (
        rows.order_by()
        .values_list(currency)
        .annotate(Count("pk"), Sum("quantity"), Sum("value"))
        .order_by(currency)
    )
    return Totals(
        (
            gettext_lazy("Currency"),
            gettext_lazy("Rows"),
            gettext_lazy("Quantity"),
            gettext_lazy("Value"),
        ),
        tuple(
            ((code or NOTHING,), (quantity(count), quantity(moved), money(value)))
            for code, count, moved, value in summed
        ),
    )


def of_entries(rows: QuerySet[Any]) -> Totals:
    """Return debit, credit and balance per currency and role, and per currency."""
    summed = list(
        rows.order_by()
        .values_list("currency__code", "role")
        .annotate(Sum("debit"), Sum("credit"))
        .order_by("currency__code", "role")
    )
    lines = [
        _balance(code, str(_ROLES.get(role, role)), [(debit, credit)])
        for code, role, debit, credit in summed
    ]
    for code in dict.fromkeys(row[0] for row in summed):
        sides = [(d, c) for each, _, d, c in summed if each == code]
        lines.append(_balance(code, gettext("All"), sides))
    return Totals(
        (
            gettext_lazy("Currency"),
            gettext_lazy("Role"),
            gettext_lazy("Debit"),
            gettext_lazy("Credit"),
            gettext_lazy("Balance"),
        ),
        tuple(lines),
    )


def _balance(
    code: str, role: str, sides: Iterable[tuple[Any, Any]]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    debits, credits_ = zip(*sides, strict=True)
    debit, credit = sum(debits), sum(credits_)
    return (code, role), (money(debit), money(credit), money(debit - credit))
