"""The places of the catalogs in the menu."""

from __future__ import annotations

from platform_site.navigation import Area, Entry, register

register(
    Entry(Area.CATALOGS, "catalogs.item", order=10),
    Entry(Area.CATALOGS, "catalogs.counterparty", order=20),
    Entry(Area.CATALOGS, "catalogs.warehouse", order=30),
    Entry(Area.CATALOGS, "catalogs.unitofmeasure", order=40),
    Entry(Area.CATALOGS, "catalogs.currency", order=50),
    Entry(Area.CATALOGS, "catalogs.bankaccount", order=60),
    Entry(Area.CATALOGS, "catalogs.account", order=70),
    Entry(Area.CATALOGS, "catalogs.constant", order=80),
)
