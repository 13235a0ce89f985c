"""The place of the change history in the menu."""

from __future__ import annotations

from platform_site.navigation import Area, MenuEntry, register

register(MenuEntry(Area.ADMINISTRATION, "changes.changeevent", order=40))
