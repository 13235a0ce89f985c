"""The menu entries of automation: the page, and the lists behind it."""

from __future__ import annotations

from django.utils.translation import gettext_lazy as _

from platform_site.navigation import Area, MenuEntry, register
from platform_site.site.automation.views import sees_automation

register(
    MenuEntry(
        Area.AUTOMATION,
        url_name="automation",
        title=_("Automation"),
        seen_by=sees_automation,
        order=10,
    ),
    MenuEntry(Area.AUTOMATION, model="scheduling.job", order=20),
    MenuEntry(Area.AUTOMATION, model="scheduling.jobexecution", order=30),
    MenuEntry(
        Area.AUTOMATION,
        model="processing.processor",
        url_name="processors",
        order=40,
    ),
    MenuEntry(Area.AUTOMATION, model="processing.processorexecution", order=50),
)
