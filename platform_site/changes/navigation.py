"""The place of the change history in the menu."""

from __future__ import annotations

from platform_site.navigation import Area, Entry, register

register(Entry(Area.ADMINISTRATION, "changes.changeevent", order=40))
