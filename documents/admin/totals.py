"""Totals of the filtered rows of a register. Amounts in different currencies are never
added up."""

from __future__ import annotations

from collections.abc import Iterable
from copy import copy
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final

from django.db.models import Count, Func, OuterRef, Q, QuerySet, Subquery, Sum, Value
from django.db.models.functions import Coalesce
from django.utils.translation import gettext, gettext_lazy

from catalogs.models import Account, Currency
from documents.amounts import rounded_of
from documents.models import StockBalance
from documents.registers.balances import LEDGER_KEYS, STOCK_KEYS
from platform_site.changes.labels import NOTHING
from platform_site.records.admin.formatting import quantity

_ROLES = dict(Account.Role.choices)
# What the index with the sums of the ledger has besides its groups.
_IN_SUMS: Final = {LEDGER_KEYS[0], "date", "document_type"}
# What a filter and a search ask of an item or a warehouse.
_SUMMED: Final = ("exact", "one_of")


@dataclass(frozen=True, slots=True)
class Totals:
    """A small table; each row has its texts and then its formatted numbers."""

    columns: tuple[Any, ...]
    rows: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]

    @property
    def labelled_rows(self) -> list[list[tuple[Any, str, bool]]]:
        """Return each row's cells with their headings and whether they are numbers."""
        return [
            [
                (heading, cell, place >= len(texts))
                for place, (heading, cell) in enumerate(
                    zip(self.columns, (*texts, *numbers), strict=True)
                )
            ]
            for texts, numbers in self.rows
        ]


def of_movements(rows: QuerySet[Any]) -> Totals:
    """Return quantity and value for each currency in which stock is valued."""
    sums = _sums_of(rows)
    if sums is not None:
        return _of_stock(sums, "currency__code", Sum("movements"))
    balances = StockBalance.objects.exclude(currency=None).order_by()
    columns = ("currency__code", "currency__minor_units")
    digits = dict(balances.values_list(*columns).distinct())
    if len(digits) == 1:
        # Mostly, and then no movement needs to be asked for its currency.
        return _of_stock(rows.annotate(code=Value(*digits)), "code", digits=digits)
    stocks = StockBalance.objects.filter(
        item=OuterRef("item"), warehouse=OuterRef("warehouse")
    )
    code = Subquery(stocks.values("currency__code")[:1])
    return _of_stock(rows.annotate(code=code), "code", digits=digits)


def _sums_of(rows: QuerySet[Any]) -> QuerySet[Any] | None:
    """Return the balances that are the sums of these movements, None if there are
    none.

    They are if movements of some items or warehouses are all there: posting keeps their
    sums, and adding up a million takes longer than everything else on the page.
    """
    where: Any = rows.query.where
    wanted = []
    if where.negated or where.connector != where.default:
        return None
    for condition, name in zip(where.children, _columns_of(rows), strict=True):
        asks = getattr(condition, "lookup_name", "")
        if name not in STOCK_KEYS or asks not in _SUMMED:
            return None
        wanted.append(Q(**{f"{name}__{asks}": condition.rhs}))
    return StockBalance.objects.filter(*wanted, movements__gt=0)


def _columns_of(rows: QuerySet[Any]) -> list[str]:
    """Return the column of each condition of a query, an empty text for a condition of
    another kind."""
    found = (getattr(each, "lhs", None) for each in rows.query.where.children)
    return [getattr(getattr(lhs, "target", None), "attname", "") for lhs in found]


def of_balances(rows: QuerySet[Any]) -> Totals:
    """Return quantity and value for each currency."""
    return _of_stock(rows, "currency__code")


def _of_stock(
    rows: QuerySet[Any],
    currency: str,
    number: Any = Count("pk"),  # noqa: B008 - immutable
    digits: dict[str, int | None] | None = None,
) -> Totals:
    """Return the totals by the code of the currency, of which ``digits`` has the decimal
    places if the rows don't."""
    columns = [currency]
    if digits is None:
        columns.append(currency.replace("code", "minor_units"))
    summed = (
        rows.order_by()
        .values_list(*columns)
        .annotate(number, Sum("quantity"), Sum("value"))
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
            (
                (code or NOTHING,),
                (
                    quantity(count),
                    quantity(moved),
                    _rounded(value, known[0] if known else (digits or {}).get(code)),
                ),
            )
            for code, *known, count, moved, value in summed
            # With one currency for all rows there is a sum even without any.
            if count
        ),
    )


def of_entries(rows: QuerySet[Any]) -> Totals:
    """Return debit, credit and balance per currency and role, and per currency."""
    currencies = Currency._base_manager.in_bulk()
    codes = {key: currency.code for key, currency in currencies.items()}
    digits = {each.code: each.minor_units for each in currencies.values()}
    sums: dict[tuple[str, str], tuple[Decimal, Decimal]] = {}
    if set(_columns_of(rows)) <= _IN_SUMS and not rows.query.where.negated:
        # In the groups of an index that has all of this and is all that is read.
        groups = _within_index(rows).order_by().values_list(*LEDGER_KEYS)
    else:
        # Not in its order: SQLite would look up the row of each entry of the index.
        role_of = Coalesce("role", Value(""))
        groups = rows.order_by().values_list(role_of, LEDGER_KEYS[-1])
    for role, *_keys, currency, debit, credit in groups.annotate(
        Sum("debit"), Sum("credit")
    ):
        before = sums.get((codes[currency], role), (Decimal(0), Decimal(0)))
        sums[codes[currency], role] = before[0] + debit, before[1] + credit
    summed = [(*keys, *both) for keys, both in sorted(sums.items())]
    lines = [
        _balance(code, str(_ROLES.get(role, role)), [(debit, credit)], digits[code])
        for code, role, debit, credit in summed
    ]
    for code in dict.fromkeys(row[0] for row in summed):
        sides = [(d, c) for each, _, d, c in summed if each == code]
        lines.append(_balance(code, gettext("All"), sides, digits[code]))
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


class _Compared(Func):
    """A column that SQLite compares where it is, instead of by an index of its own that
    leads to each row."""

    template = "%(expressions)s"

    def as_sqlite(self, compiler: Any, connection: Any, **more: Any) -> Any:
        """Return the column, about which SQLite's planner knows nothing."""
        return self.as_sql(compiler, connection, template="+%(expressions)s", **more)


def _within_index(rows: QuerySet[Any]) -> QuerySet[Any]:
    """Return the same rows, found in the index with the sums."""
    rows = rows.all()
    where: Any = rows.query.where.clone()
    where.children = [copy(condition) for condition in where.children]
    for condition, name in zip(where.children, _columns_of(rows), strict=True):
        if name != LEDGER_KEYS[0]:
            condition.lhs = _Compared(condition.lhs)
    rows.query.where = where
    return rows


def _balance(
    code: str, role: str, sides: Iterable[tuple[Any, Any]], digits: int | None
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    debits, credits_ = zip(*sides, strict=True)
    debit, credit = sum(debits), sum(credits_)
    amounts = (debit, credit, debit - credit)
    return (code, role), tuple(_rounded(amount, digits) for amount in amounts)


def _rounded(amount: Decimal, digits: int | None) -> str:
    return rounded_of(amount, Currency(minor_units=digits))
