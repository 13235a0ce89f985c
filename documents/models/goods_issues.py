"""Goods issues: deliveries to customers, which take from stock."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from django.db import models
from django.utils.translation import gettext_lazy as _

from catalogs.models import Account, Warehouse
from documents.models.lines import DocumentWithLines, Line
from documents.models.sales_orders import SalesOrder
from documents.posting import progress
from documents.posting.movements import Posting
from platform_site.records.fields import (
    ExactDecimalField,
    optional_reference,
    reference,
)

Role = Account.Role


class GoodsIssue(DocumentWithLines):
    """A delivery from a warehouse to a customer, possibly for an order."""

    catalog_name = "GoodsIssues"
    number_prefix = "GI"
    stock_sign = -1
    set_by_save = DocumentWithLines.set_by_save | {"paid"}
    settles = "order"
    settles_from = frozenset({"order_id", "lines"})
    progress_from = frozenset({"currency_id"})
    postings_from = frozenset(
        {"date", "counterparty_id", "warehouse_id", "currency_id", "lines"}
    )
    warehouse = reference(
        Warehouse, _("warehouse"), help_text=_("The warehouse that the goods leave.")
    )
    order = optional_reference(
        SalesOrder,
        _("order"),
        related_name="issues",
        help_text=_("The sales order that is delivered, if there is one."),
    )
    paid = ExactDecimalField(
        _("paid"),
        default=0,
        editable=False,
        help_text=_("What posted bank receipts have paid of it, less refunds."),
    )

    class Meta(DocumentWithLines.Meta):
        verbose_name = _("goods issue")
        verbose_name_plural = _("goods issues")
        permissions = [
            ("post_goodsissue", "Can post goods issue"),
            ("unpost_goodsissue", "Can unpost goods issue"),
        ]
        indexes = [
            *DocumentWithLines.Meta.indexes,
            # Lists of what is still to be paid, and of what is overdue, by date.
            models.Index(
                fields=["date", "id"],
                condition=models.Q(is_active=True, paid__lt=models.F("total")),
                name="issue_unpaid",
            ),
        ]

    @classmethod
    def progress_of(cls, key: int, *, without: int | None = None) -> dict[str, Any]:
        """Return what is paid of an issue."""
        return {"paid": progress.paid_amount(key, without=without)}

    def postings(self, cost: Decimal) -> list[Posting]:
        """Return the customer's debt, and the cost of the goods issued."""
        return [
            Posting(Role.RECEIVABLES, Role.SALES, self.total),
            Posting(Role.COST_OF_GOODS, Role.INVENTORY, cost),
        ]


class GoodsIssueLine(Line):
    """One item issued."""

    document = models.ForeignKey(
        GoodsIssue, on_delete=models.CASCADE, related_name="line_rows"
    )

    class Meta(Line.Meta):
        verbose_name = _("line of a goods issue")
        verbose_name_plural = _("lines of goods issues")
