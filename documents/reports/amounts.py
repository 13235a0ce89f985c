"""Amounts by currency and period, for plots: sales, the value of the stock, and what
customers owe. Those that come from registers are cached like a report."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date, datetime
from decimal import Decimal
from typing import Any, Final, NamedTuple

from django.db.models import (
    Case,
    ExpressionWrapper,
    F,
    OuterRef,
    Subquery,
    Sum,
    Value,
    When,
)

from catalogs.models import Currency
from documents.models import GoodsIssue, StockBalance, StockMovement
from documents.payment_terms import PaymentTerms
from documents.reports.cache import results
from documents.reports.periods import period_of
from documents.states import UNPAID

_ZERO: Final = Decimal(0)
# A currency, a period, and the sum of both.
Sums = Iterable[tuple[int | None, int, Decimal]]


class CurrencyAmounts(NamedTuple):
    """The amounts of one currency."""

    currency: Currency
    amounts: list[Decimal]


def sales_by_month(edges: Sequence[datetime]) -> list[CurrencyAmounts]:
    """Return the totals of the posted goods issues between each two edges."""
    return _cached(_sales, edges)


def stock_values(edges: Sequence[datetime]) -> list[CurrencyAmounts]:
    """Return the value of the stock before each edge, and that of today's stock."""
    return _cached(_stock, edges)


def receivables_by_age(ages: Sequence[date]) -> list[CurrencyAmounts]:
    """Return what is still to be paid of posted goods issues: what is not due, and what
    was due before each of some days but not before the next; the days go back.

    It isn't cached: a payment may be assigned to an issue without a change of registers.
    """
    # On SQLite a difference knows nothing of the unit of its columns by itself.
    amount: Any = GoodsIssue._meta.get_field("total")
    left = ExpressionWrapper(F("total") - F("paid"), output_field=amount)
    terms = PaymentTerms()
    oldest_first = reversed([*enumerate(ages, 1)])
    age = Case(
        *(When(terms.overdue(day), then=Value(number)) for number, day in oldest_first),
        default=Value(0),
    )
    # Those of an index, which are few.
    unpaid = GoodsIssue.objects.filter(UNPAID).order_by().annotate(age=age)
    sums: Sums = unpaid.values_list("currency_id", "age").annotate(all=Sum(left))
    return _by_currency(sums, len(ages) + 1)


def _cached(make: Any, edges: Sequence[datetime]) -> list[CurrencyAmounts]:
    found: list[CurrencyAmounts] = results.result(
        (make.__name__, *edges), lambda: make(edges)
    )
    return found


def _sales(edges: Sequence[datetime]) -> list[CurrencyAmounts]:
    issues = GoodsIssue.objects.filter(
        is_active=True, is_deleted=False, date__gte=edges[0], date__lt=edges[-1]
    )
    sums = (
        issues.order_by()
        .annotate(period=period_of("date", edges[1:-1]))
        .values_list("currency_id", "period")
        .annotate(Sum("total"))
    )
    return _by_currency(sums, len(edges) - 1)


def _stock(edges: Sequence[datetime]) -> list[CurrencyAmounts]:
    """Go back from today's value, which posting keeps, by the changes since then."""
    balances = StockBalance.objects.exclude(movements=0).order_by()
    now = dict(balances.values_list("currency_id").annotate(Sum("value")))
    if not now:
        return []
    only = next(iter(now)) if len(now) == 1 else None
    changes = _changes_of(only, edges) if only else _changes(edges)
    changed: dict[int | None, list[Decimal]] = {
        currency: [_ZERO] * len(edges) for currency in now
    }
    for currency, period, change in changes:
        for place in range(period):
            changed[currency][place] += change or _ZERO
    sums = [
        (currency, place, value - back)
        for currency, value in now.items()
        for place, back in enumerate([*changed[currency], _ZERO])
    ]
    return _by_currency(sums, len(edges) + 1)


def _changes_of(currency: int, edges: Sequence[datetime]) -> Sums:
    """Return how much all movements after each edge changed, up to the next: ranges of
    an index that has the values."""
    movements = StockMovement.objects.order_by()
    parts = []
    for number, start in enumerate(edges, 1):
        part = movements.filter(date__gte=start)
        if number < len(edges):
            part = part.filter(date__lt=edges[number])
        named = part.annotate(c=Value(currency), period=Value(number))
        parts.append(named.values("c", "period").annotate(change=Sum("value")))
    all_parts: Sums = (
        parts[0].union(*parts[1:], all=True).values_list("c", "period", "change")
    )
    return all_parts


def _changes(edges: Sequence[datetime]) -> Sums:
    """Return the same for stocks in several currencies, which only balances know."""
    balance = StockBalance.objects.filter(
        item=OuterRef("item"), warehouse=OuterRef("warehouse")
    )
    sums: Sums = (
        StockMovement.objects.filter(date__gte=edges[0])
        .order_by()
        .annotate(
            c=Subquery(balance.values("currency_id")[:1]),
            period=period_of("date", edges),
        )
        .values_list("c", "period")
        .annotate(Sum("value"))
    )
    return sums


def _by_currency(sums: Sums, count: int) -> list[CurrencyAmounts]:
    """Return the sums of each currency, those with the highest amounts first."""
    found: dict[int | None, list[Decimal]] = {}
    for currency, period, amount in sums:
        amounts = found.setdefault(currency, [_ZERO] * count)
        amounts[period] += amount or _ZERO
    rows = Currency._base_manager.in_bulk(sorted(key for key in found if key))
    named = [
        CurrencyAmounts(rows[key], amounts)
        for key, amounts in found.items()
        if key in rows
    ]
    return sorted(named, key=lambda e: (-sum(map(abs, e.amounts)), e.currency.code))
