"""The admin pages of the registers: read-only lists with filters and totals."""

from __future__ import annotations

from decimal import Decimal
from typing import Any, ClassVar

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html
from django.utils.http import urlencode
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _, pgettext_lazy

from documents.admin import totals
from documents.admin.dated import DatedMixin
from documents.admin.register_list import KindFilter, RegisterAdmin
from documents.admin.totals import Totals
from documents.amounts import rounded_of
from documents.models import LedgerEntry, StockBalance, StockMovement
from platform_site.records.admin import ReferenceFilter
from platform_site.records.admin.formatting import money, quantity


class InStockFilter(admin.SimpleListFilter):
    """A filter by whether a balance is zero."""

    title = _("stock")
    parameter_name = "stock"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        """Return the two choices."""
        return [("yes", _("In stock")), ("no", _("Not in stock"))]

    def queryset(
        self, request: HttpRequest, queryset: QuerySet[Any]
    ) -> QuerySet[Any] | None:
        """Return the balances that match the choice."""
        if self.value() not in ("yes", "no"):
            return queryset
        empty = {"quantity": 0}
        if self.value() == "yes":
            return queryset.exclude(**empty)
        return queryset.filter(**empty)


class StockSearchMixin(RegisterAdmin):
    """A register of stock, which is searched by the items that have a balance."""

    searched_references = ("item",)

    def occurring(self, name: str, rows: QuerySet[Any]) -> QuerySet[Any]:
        """Return the items that have a balance, mostly few of all items."""
        return rows.filter(pk__in=StockBalance.objects.order_by().values("item"))


@admin.register(StockMovement)
class StockMovementAdmin(DatedMixin, StockSearchMixin):
    """The quantities that posted documents added to stock or took from it."""

    # The page of a document links to this list.
    linked_by = ("document_id",)
    list_display = (
        "date_shown",
        "document",
        "quantity_shown",
        "value_shown",
        "item",
        "warehouse",
    )
    list_filter: ClassVar[Any] = (
        "date",
        KindFilter,
        ("item", ReferenceFilter),
        ("warehouse", ReferenceFilter),
        "quantity",
    )
    list_select_related = ("item", "warehouse")
    # In another order, every movement would be sorted for a page.
    sortable_by = ("date_shown",)
    sorted_within = ("document_id", "item__id__exact")

    def totals(self, rows: QuerySet[Any]) -> Totals:
        """Return quantity and value by currency."""
        return totals.of_movements(rows)

    @admin.display(description=_("quantity"), ordering="quantity")
    def quantity_shown(self, row: StockMovement) -> str:
        """Return the quantity: positive for receipts, negative for issues."""
        return quantity(row.quantity)

    @admin.display(description=pgettext_lazy("of stock", "value"), ordering="value")
    def value_shown(self, row: StockMovement) -> str:
        """Return the value of the movement."""
        return money(row.value)


@admin.register(StockBalance)
class StockBalanceAdmin(StockSearchMixin):
    """The stock of each item and warehouse, with its value."""

    list_display = (
        "item",
        "quantity_shown",
        "value_shown",
        "currency",
        "warehouse",
        "average",
        "movements_shown",
    )
    list_filter: ClassVar[Any] = (
        InStockFilter,
        ("item", ReferenceFilter),
        ("warehouse", ReferenceFilter),
        "quantity",
        "value",
    )
    list_select_related = ("item", "warehouse", "currency")
    number_columns = ("average",)
    ordering: ClassVar[Any] = ("item__code", "warehouse__code", "id")

    def totals(self, rows: QuerySet[Any]) -> Totals:
        """Return quantity and value by currency."""
        return totals.of_balances(rows)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        """Return the balances that have at least one movement."""
        return super().get_queryset(request).filter(movements__gt=0)

    @admin.display(description=_("quantity"), ordering="quantity")
    def quantity_shown(self, row: StockBalance) -> str:
        """Return the quantity in stock."""
        return quantity(row.quantity)

    @admin.display(description=pgettext_lazy("of stock", "value"), ordering="value")
    def value_shown(self, row: StockBalance) -> str:
        """Return the value of the stock."""
        return rounded_of(row.value, row.currency)

    @admin.display(description=_("average cost"))
    def average(self, row: StockBalance) -> str:
        """Return the value of one unit, rounded to four places."""
        cost: Decimal | None = None
        if row.quantity:
            cost = round(row.value / row.quantity, 4)
        return money(cost)

    @admin.display(description=_("movements"), ordering="movements")
    def movements_shown(self, row: StockBalance) -> SafeString:
        """Return a link to the movements."""
        query = urlencode(
            {
                "item__id__exact": row.item_id,
                "warehouse__id__exact": row.warehouse_id,
            }
        )
        url = reverse("admin:documents_stockmovement_changelist")
        return format_html('<a href="{}?{}">{}</a>', url, query, row.movements)


@admin.register(LedgerEntry)
class LedgerEntryAdmin(DatedMixin, RegisterAdmin):
    """Debits and credits of every posting."""

    # The page of a document links to this list, and the report of the balances.
    linked_by = ("document_id", "account__isnull", "counterparty__isnull")
    list_display = (
        "date_shown",
        "document",
        "role",
        "debit_shown",
        "credit_shown",
        "currency",
        "counterparty",
        "account",
    )
    list_filter: ClassVar[Any] = (
        "date",
        "role",
        KindFilter,
        ("counterparty", ReferenceFilter),
        ("account", ReferenceFilter),
        ("currency", ReferenceFilter),
    )
    list_select_related = ("account", "counterparty", "currency")
    # In another order, every entry would be sorted for a page.
    sortable_by = ("date_shown",)
    sorted_within = ("document_id", "counterparty__id__exact")
    searched_references = ("counterparty", "account")

    def totals(self, rows: QuerySet[Any]) -> Totals:
        """Return debit, credit and balance by currency."""
        return totals.of_entries(rows)

    @admin.display(description=_("debit"), ordering="debit")
    def debit_shown(self, row: LedgerEntry) -> str:
        """Return the debit, empty if it is zero."""
        return rounded_of(row.debit, row.currency) if row.debit else ""

    @admin.display(description=_("credit"), ordering="credit")
    def credit_shown(self, row: LedgerEntry) -> str:
        """Return the credit, empty if it is zero."""
        return rounded_of(row.credit, row.currency) if row.credit else ""
