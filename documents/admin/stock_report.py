"""The table of the report *Stock on hand*."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal
from functools import cached_property
from heapq import nsmallest
from itertools import groupby
from operator import attrgetter
from typing import Any, ClassVar, Final, NamedTuple

from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext as _, gettext_lazy

from catalogs.models import Currency, Item, Warehouse
from documents.admin.list_links import movements_link
from documents.admin.report_tables import (
    ZERO,
    Heading,
    ReportCell,
    ReportTable,
    TotalsTable,
    code_of,
    currencies,
    names_of,
    shown_in,
)
from documents.amounts import amount_of, rounded_of
from documents.registers.balances import StockOnHand
from documents.reports.stock_currencies import StockCurrencies
from platform_site.plots import Plot, Point, Shape
from platform_site.records.admin.formatting import quantity

_TOP: Final = 10


def average_cost(row: StockOnHand) -> Decimal:
    """Return the value of one unit, rounded to four places; zero without a quantity."""
    return round(row.value / row.quantity, 4) if row.quantity else ZERO


class CurrencySums(NamedTuple):
    """The stock valued in one currency: its sums, and the items with the highest value
    as (key, code, value)."""

    rows: Decimal
    quantity: Decimal
    value: Decimal
    items: int
    top: list[tuple[int, str, Decimal]]


def _sums(rows: Sequence[StockOnHand]) -> CurrencySums:
    """Return the sums of rows of one currency, which are in the order of items."""
    value_of, key_of = attrgetter("value"), attrgetter("item_id", "item_code")
    of_items = [
        (key, sum(map(value_of, some), ZERO)) for key, some in groupby(rows, key_of)
    ]
    top = nsmallest(_TOP, of_items, key=lambda item: (-item[1], item[0][1]))
    return CurrencySums(
        Decimal(len(rows)),
        sum(map(attrgetter("quantity"), rows), ZERO),
        sum((value for _key, value in of_items), ZERO),
        len(of_items),
        [(item, code, value) for (item, code), value in top],
    )


class StockTable(ReportTable):
    """The stock by item and warehouse, with its movements behind it."""

    headings: ClassVar[tuple[Heading, ...]] = (
        Heading(gettext_lazy("Item"), "item_code"),
        Heading(gettext_lazy("Warehouse"), "warehouse_code"),
        Heading(gettext_lazy("Quantity"), "quantity", is_number=True),
        Heading(gettext_lazy("Unit")),
        Heading(gettext_lazy("Average cost"), "average", is_number=True),
        Heading(gettext_lazy("Value"), "value", is_number=True),
        Heading(gettext_lazy("Currency")),
    )
    fields: ClassVar[dict[str, type[Any]]] = {
        "itemId": int,
        "itemCode": str,
        "itemName": str,
        "warehouseId": int,
        "warehouseCode": str,
        "warehouseName": str,
        "quantity": Decimal,
        "value": Decimal,
        "currencyCode": str,
    }

    @cached_property
    def _stock_currencies(self) -> StockCurrencies:
        return StockCurrencies()

    def _currency_of(self, row: StockOnHand) -> int | None:
        return self._stock_currencies.of(row)

    @cached_property
    def _sums(self) -> dict[int | None, CurrencySums]:
        found: dict[int | None, CurrencySums] = self.cached(self._summed)
        return found

    def _summed(self) -> dict[int | None, CurrencySums]:
        rows: dict[int | None, Sequence[StockOnHand]] = {}
        if self._stock_currencies.only is not None and self.rows:
            rows[self._stock_currencies.only] = self.rows
        else:
            several: dict[int | None, list[StockOnHand]] = {}
            for row in self.rows:
                several.setdefault(self._currency_of(row), []).append(row)
            rows.update(several)
        return {key: _sums(of_currency) for key, of_currency in rows.items()}

    @cached_property
    def _currencies(self) -> dict[int | None, Currency]:
        return currencies(self._sums)

    def sort_value(self, name: str) -> Callable[[Any], Any]:
        """Return the function for the value by which a column sorts."""
        return average_cost if name == "average" else super().sort_value(name)

    def cells(self, rows: Sequence[StockOnHand]) -> list[list[ReportCell]]:
        """Return the cells of some rows."""
        items = Item._base_manager.filter(pk__one_of=sorted({r.item_id for r in rows}))
        known = {
            key: (name, unit or "")
            for key, name, unit in items.values_list(
                "pk", "name", "unit_of_measure__code"
            )
        }
        warehouses = names_of(Warehouse, (row.warehouse_id for row in rows))
        found = []
        for row in rows:
            name, unit = known[row.item_id]
            currency = self._currencies.get(self._currency_of(row))
            found.append(
                [
                    ReportCell(row.item_code, note=name),
                    ReportCell(row.warehouse_code, note=warehouses[row.warehouse_id]),
                    ReportCell(quantity(row.quantity), movements_link(row, self.as_of)),
                    ReportCell(unit),
                    ReportCell(amount_of(average_cost(row), currency)),
                    ReportCell(rounded_of(row.value, currency)),
                    ReportCell(code_of(currency)),
                ]
            )
        return found

    def totals(self) -> TotalsTable:
        """Return the value by currency; quantities only of one item, with one unit."""
        headings = [_("Currency"), _("Rows"), _("Quantity"), _("Value")]
        lines = [
            [
                code_of(self._currencies.get(key)),
                quantity(sums.rows),
                quantity(sums.quantity),
                rounded_of(sums.value, self._currencies.get(key)),
            ]
            for key, sums in self._sums.items()
        ]
        if any(sums.items > 1 for sums in self._sums.values()):
            for line in (headings, *lines):
                line.pop(2)
        return TotalsTable(headings, 1, sorted(lines))

    def plots(self) -> Iterator[Plot]:
        """Yield the items with the highest value, for each currency."""
        for key, sums in self._sums.items():
            currency = self._currencies.get(key)
            if currency is not None and sums.items > 1 and sums.value > 0:
                yield self._top(currency, sums)

    def _top(self, currency: Currency, sums: CurrencySums) -> Plot:
        names = names_of(Item, (item for item, _code, _value in sums.top))
        share = 100 * sum(value for _item, _code, value in sums.top) / sums.value
        words = {
            "count": quantity(len(sums.top)),
            "all": quantity(sums.items),
            "share": quantity(round(share)),
        }
        return Plot(
            f"top-{currency.pk}",
            " · ".join((_("Items by value"), currency.code)),
            # Translators: "%%" is the sign for per cent.
            _("%(count)s of %(all)s items have %(share)s%% of the value") % words,
            Shape.ROWS,
            series=(_("Value"),),
            points=[
                Point(code, f"{code} {names[item]}", (value,), self._link_to(item))
                for item, code, value in sums.top
            ],
            heading=_("Item"),
            shown=shown_in(currency),
        )

    def _link_to(self, item: int) -> str:
        return (
            f"{reverse('stock-report')}?{urlencode({**self.kept, 'item': str(item)})}"
        )

    def lines(self) -> Iterator[list[Any]]:
        """Yield the cells of all rows for a file."""
        items = names_of(Item, (row.item_id for row in self.rows))
        warehouses = names_of(Warehouse, (row.warehouse_id for row in self.rows))
        for row in self.rows:
            yield [
                row.item_id,
                row.item_code,
                items[row.item_id],
                row.warehouse_id,
                row.warehouse_code,
                warehouses[row.warehouse_id],
                row.quantity,
                row.value,
                code_of(self._currencies.get(self._currency_of(row))),
            ]
