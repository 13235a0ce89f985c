"""The places of data processors in the menu."""

from __future__ import annotations

from platform_site.navigation import Area, Entry, register

register(
    Entry(Area.AUTOMATION, "processing.processor", "processors", order=10),
    Entry(Area.AUTOMATION, "processing.processorexecution", order=40),
)
