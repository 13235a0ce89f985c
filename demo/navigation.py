"""The place of the demo data in the menu."""

from __future__ import annotations

from platform_site.navigation import Area, MenuEntry, register

register(MenuEntry(Area.ADMINISTRATION, "demo.demoinstallation", order=90))
