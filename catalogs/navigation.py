"""The places of the catalogs in the menu."""

from __future__ import annotations

from platform_site.navigation import Area, MenuEntry, register

register(
    MenuEntry(Area.CATALOGS, "catalogs.item", order=10),
    MenuEntry(Area.CATALOGS, "catalogs.counterparty", order=20),
    MenuEntry(Area.CATALOGS, "catalogs.warehouse", order=30),
    MenuEntry(Area.CATALOGS, "catalogs.unitofmeasure", order=40),
    MenuEntry(Area.CATALOGS, "catalogs.currency", order=50),
    MenuEntry(Area.CATALOGS, "catalogs.bankaccount", order=60),
    MenuEntry(Area.CATALOGS, "catalogs.account", order=70),
    MenuEntry(Area.CATALOGS, "catalogs.constant", order=80),
)
