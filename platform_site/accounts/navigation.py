"""The places of accounts in the menu. The page of one's own account is in the person
menu."""

from __future__ import annotations

from platform_site.navigation import Area, MenuEntry, register

register(
    MenuEntry(Area.ADMINISTRATION, "accounts.user", order=10),
    MenuEntry(Area.ADMINISTRATION, "accounts.role", order=20),
    MenuEntry(Area.ADMINISTRATION, "accounts.apikey", order=30),
)
