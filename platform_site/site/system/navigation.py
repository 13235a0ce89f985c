"""The menu entry of the system page."""

from __future__ import annotations

from django.utils.translation import gettext_lazy as _

from platform_site.accounts.services import is_administrator
from platform_site.navigation import Area, MenuEntry, register

register(
    MenuEntry(
        Area.ADMINISTRATION,
        url_name="system",
        title=_("System"),
        seen_by=is_administrator,
        order=90,
    )
)
