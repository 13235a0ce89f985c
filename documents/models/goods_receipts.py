"""Goods receipts: deliveries from suppliers, which add to stock."""

from __future__ import annotations

from decimal import Decimal

from django.db import models
from django.utils.translation import gettext_lazy as _

from catalogs.models import Account, Warehouse
from documents.models.lines import DocumentWithLines, Line
from documents.posting.movements import Posting
from platform_site.records.fields import reference

Role = Account.Role


class GoodsReceipt(DocumentWithLines):
    """A delivery from a supplier into a warehouse."""

    catalog_name = "GoodsReceipts"
    number_prefix = "GR"
    stock_sign = 1
    postings_from = frozenset(
        {"date", "counterparty_id", "warehouse_id", "currency_id", "lines"}
    )
    warehouse = reference(
        Warehouse, _("warehouse"), help_text=_("The warehouse that receives the goods.")
    )

    class Meta(DocumentWithLines.Meta):
        verbose_name = _("goods receipt")
        verbose_name_plural = _("goods receipts")
        permissions = [
            ("post_goodsreceipt", "Can post goods receipt"),
            ("unpost_goodsreceipt", "Can unpost goods receipt"),
        ]

    def postings(self, cost: Decimal) -> list[Posting]:
        """Return the posting between inventory and payables."""
        return [Posting(Role.INVENTORY, Role.PAYABLES, self.total)]


class GoodsReceiptLine(Line):
    """One item received."""

    document = models.ForeignKey(
        GoodsReceipt, on_delete=models.CASCADE, related_name="line_rows"
    )

    class Meta(Line.Meta):
        verbose_name = _("line of a goods receipt")
        verbose_name_plural = _("lines of goods receipts")
