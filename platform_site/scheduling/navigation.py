"""The places of jobs in the menu."""

from __future__ import annotations

from platform_site.navigation import Area, Entry, register

register(
    Entry(Area.AUTOMATION, "scheduling.job", order=20),
    Entry(Area.AUTOMATION, "scheduling.jobexecution", order=30),
)
