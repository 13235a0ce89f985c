"""The stock of an item or a warehouse on its page, and where an item was last bought and
sold. Every query reads a few entries of an index, however many movements there are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date, datetime
from decimal import Decimal
from typing import Any, Final

from django.db.models import Count, OuterRef, Q, Subquery, Sum
from django.http import HttpRequest
from django.urls import reverse
from django.utils.formats import date_format
from django.utils.translation import gettext, ngettext

from catalogs.models import Currency, Item
from documents.admin.buttons import page_of
from documents.admin.report_rights import may_see_stock
from documents.amounts import amount_in, rounded_in
from documents.models import (
    GoodsIssueLine,
    GoodsReceiptLine,
    SalesOrderLine,
    StockBalance,
    StockMovement,
)
from documents.reports.cache import results
from platform_site.records.admin.formatting import day_or_moment, money, quantity
from platform_site.records.admin.row_parts import Figure, RelatedRows, RowParts
from platform_site.records.row_links import link_to_row

# Named beside the sum; the table of related rows has all of them.
_MOST_NAMED: Final = 3
_MOST_LINES: Final = 10
_NO_BREAK: Final = "\N{NO-BREAK SPACE}"


def may_view(request: HttpRequest, model: Any) -> bool:
    """Return whether the reader may see the rows of a model."""
    opts = model._meta
    user: Any = request.user
    return bool(user.has_perm(f"{opts.app_label}.view_{opts.model_name}"))


def document_of(line_model: Any) -> Any:
    """Return the model of the documents with such lines."""
    return line_model._meta.get_field("document").related_model


class ItemParts(RowParts):
    """Stock by warehouse, the last sale and receipt, and open order lines of an item."""

    def figures(self, request: HttpRequest, row: Any) -> Sequence[Figure]:
        """Return the stock of an item, and when it was last sold and received."""
        if row.is_folder or row.category == Item.Category.SERVICE:
            return ()
        balances = _balances(row)
        found: list[Figure] = []
        if may_view(request, StockBalance):
            link = _stock_link(request, row)
            found.append(_stock_figure(row, balances, link))
        for model, label in (
            (GoodsIssueLine, gettext("Last sale")),
            (GoodsReceiptLine, gettext("Last receipt")),
        ):
            if may_view(request, document_of(model)):
                found += _last(row, balances, model, label)
        return found

    def related(self, request: HttpRequest, row: Any) -> Sequence[RelatedRows]:
        """Return the stock of an item by warehouse, and what is ordered of it."""
        if row.is_folder:
            return ()
        found = []
        if may_view(request, StockBalance):
            found.append(_stock_table(row, _balances(row), request.user))
        if may_view(request, document_of(SalesOrderLine)):
            found.append(_open_lines(row, request.user))
        return [each for each in found if each.rows]


class WarehouseParts(RowParts):
    """The value of the stock in a warehouse, and the number of its items."""

    def figures(self, request: HttpRequest, row: Any) -> Sequence[Figure]:
        """Return the value by currency, and the number of items in stock."""
        if not may_view(request, StockBalance):
            return ()
        # As many balances as items: added up once until a register changes.
        sums = results.result(("stock of warehouse", row.pk), lambda: _stock_of(row))
        currencies = Currency._base_manager.in_bulk(
            [key for key, *_sums in sums if key]
        )
        link = _balances_link("warehouse", row)
        count = sum(number for _key, _value, number in sums)
        number = Figure(gettext("Items in stock"), quantity(count), f"{link}&stock=yes")
        return [
            *(
                Figure(gettext("Stock value"), rounded_in(value, currencies[key]), link)
                for key, value, _number in sums
                if key in currencies
            ),
            number,
        ]


def _balances(item: Any) -> list[Any]:
    """Return the balances of an item with the times of its last movements, which the
    index of movements knows for each warehouse."""
    moved = StockMovement.objects.filter(
        item=OuterRef("item"), warehouse=OuterRef("warehouse")
    ).order_by("-date")
    balances = StockBalance.objects.filter(item=item, movements__gt=0).annotate(
        last_in=Subquery(moved.filter(quantity__gt=0).values("date")[:1]),
        last_out=Subquery(moved.filter(quantity__lt=0).values("date")[:1]),
    )
    return list(balances.select_related("warehouse", "currency").order_by("warehouse"))


def _stock_link(request: HttpRequest, item: Any) -> str:
    """Return the page with the stock of an item on any day, or else with that of now."""
    if may_see_stock(request.user):
        return f"{reverse('stock-report')}?item={item.pk}"
    return _balances_link("item", item)


def _stock_figure(item: Any, balances: Sequence[Any], link: str) -> Figure:
    total = sum((each.quantity for each in balances), Decimal(0))
    held = [each for each in balances if each.quantity]
    named = ", ".join(
        f"{each.warehouse.code}{_NO_BREAK}{quantity(each.quantity)}"
        for each in held[:_MOST_NAMED]
    )
    if len(held) > _MOST_NAMED:
        text = ngettext("in %(count)d warehouse", "in %(count)d warehouses", len(held))
        named = text % {"count": len(held)}
    return Figure(
        gettext("In stock"),
        _counted(item, total),
        link,
        named,
        "bad" if total < 0 else "",
    )


def _counted(item: Any, number: Decimal) -> str:
    unit = item.unit_of_measure
    text = quantity(number)
    return text if unit is None else f"{text}{_NO_BREAK}{unit.code}"


def _last(
    item: Any, balances: Sequence[Any], model: Any, label: str
) -> Iterator[Figure]:
    """Yield the price, the day and the partner of the last sale or receipt."""
    receipt = document_of(model).stock_sign > 0
    name = "last_in" if receipt else "last_out"
    part = Q(quantity__gt=0) if receipt else Q(quantity__lt=0)
    times: list[tuple[datetime, int]] = [
        (getattr(each, name), each.warehouse_id)
        for each in balances
        if getattr(each, name) is not None
    ]
    if not times:
        return
    at, warehouse = max(times)
    movements = StockMovement.objects.filter(
        part, item=item, warehouse=warehouse, date=at
    )
    keys = movements.order_by("-pk").values("document_id")[:1]
    lines = model._base_manager.filter(item=item, document_id__in=Subquery(keys))
    lines = lines.select_related("document__counterparty", "document__currency")
    line = lines.order_by("number").first()
    if line is None:
        return
    document = line.document
    yield Figure(
        label,
        amount_in(line.price, document.currency),
        page_of(document, "row", document.pk),
        f"{day_or_moment(document.date)} · {document.counterparty}",
    )


def _stock_table(item: Any, balances: Sequence[Any], user: Any) -> RelatedRows:
    return RelatedRows(
        gettext("Stock by warehouse"),
        (
            gettext("Warehouse"),
            gettext("Quantity"),
            gettext("Value"),
            gettext("Last movement"),
        ),
        [
            (
                link_to_row(type(each.warehouse), each.warehouse_id, user),
                (
                    str(each.warehouse),
                    _counted(item, each.quantity),
                    amount_in(each.value, each.currency)
                    if each.currency
                    else money(each.value),
                    _latest(each.last_in, each.last_out),
                ),
            )
            for each in balances
        ],
        _balances_link("item", item),
        (1, 2),
    )


def _latest(*times: datetime | None) -> str:
    known = [each for each in times if each is not None]
    return day_or_moment(max(known)) if known else ""


def _open_lines(item: Any, user: Any) -> RelatedRows:
    """Return the newest lines of orders that aren't delivered."""
    lines = SalesOrderLine._base_manager.filter(
        item=item, document__is_delivered=False, document__is_deleted=False
    ).select_related("document__counterparty", "document__currency")
    return RelatedRows(
        gettext("Open order lines"),
        (
            gettext("Order"),
            gettext("Date"),
            gettext("Due date"),
            gettext("Customer"),
            gettext("Ordered"),
            gettext("Price"),
        ),
        [
            (
                link_to_row(type(line.document), line.document_id, user),
                (
                    line.document.code,
                    day_or_moment(line.document.date),
                    _day(line.document.due_date),
                    str(line.document.counterparty),
                    _counted(item, line.quantity),
                    amount_in(line.price, line.document.currency),
                ),
            )
            for line in lines.order_by("-pk")[:_MOST_LINES]
        ],
        numeric=(4, 5),
    )


def _day(value: date | None) -> str:
    return "" if value is None else date_format(value, "SHORT_DATE_FORMAT")


def _stock_of(warehouse: Any) -> list[tuple[int | None, Decimal, int]]:
    balances = StockBalance.objects.filter(warehouse=warehouse, movements__gt=0)
    sums = balances.order_by().values_list("currency_id")
    in_stock = Count("pk", filter=~Q(quantity=0))
    sums = sums.annotate(Sum("value"), in_stock=in_stock)
    return list(sums.order_by("currency_id"))


def _balances_link(name: str, row: Any) -> str:
    return f"{page_of(StockBalance, 'changelist')}?{name}__id__exact={row.pk}"
