"""The places of webhooks in the menu."""

from __future__ import annotations

from platform_site.navigation import Area, MenuEntry, register

register(
    MenuEntry(Area.AUTOMATION, "webhooks.webhook", order=60),
    MenuEntry(Area.AUTOMATION, "webhooks.delivery", order=70),
)
