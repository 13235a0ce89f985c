"""The places of documents and registers in the menu."""

from __future__ import annotations

from django.utils.translation import gettext_lazy as _

from documents.admin.report_rights import may_see_ledger, may_see_stock
from platform_site.navigation import Area, Entry, register

register(
    Entry(Area.SALES, "documents.salesorder", order=10),
    Entry(Area.SALES, "documents.goodsissue", order=20),
    Entry(Area.PURCHASING, "documents.goodsreceipt", order=10),
    Entry(Area.STOCK, "documents.stockbalance", order=10),
    Entry(Area.STOCK, "documents.stockmovement", order=20),
    Entry(Area.MONEY, "documents.bankreceipt", order=10),
    Entry(Area.MONEY, "documents.ledgerentry", order=20),
    Entry(
        Area.STOCK,
        url_name="stock-report",
        title=_("Stock on hand"),
        seen_by=may_see_stock,
        order=30,
    ),
    Entry(
        Area.MONEY,
        url_name="ledger-report",
        title=_("Ledger balances"),
        seen_by=may_see_ledger,
        order=30,
    ),
)
