"""The places of documents and registers in the menu."""

from __future__ import annotations

from django.utils.translation import gettext_lazy as _

from documents.admin.report_rights import may_see_ledger, may_see_stock
from platform_site.navigation import Area, MenuEntry, register

register(
    MenuEntry(Area.SALES, "documents.salesorder", order=10),
    MenuEntry(Area.SALES, "documents.goodsissue", order=20),
    MenuEntry(Area.PURCHASING, "documents.goodsreceipt", order=10),
    MenuEntry(Area.STOCK, "documents.stockbalance", order=10),
    MenuEntry(Area.STOCK, "documents.stockmovement", order=20),
    MenuEntry(Area.MONEY, "documents.bankreceipt", order=10),
    MenuEntry(Area.MONEY, "documents.ledgerentry", order=20),
    MenuEntry(
        Area.STOCK,
        url_name="stock-report",
        title=_("Stock on hand"),
        seen_by=may_see_stock,
        order=30,
    ),
    MenuEntry(
        Area.MONEY,
        url_name="ledger-report",
        title=_("Ledger balances"),
        seen_by=may_see_ledger,
        order=30,
    ),
)
