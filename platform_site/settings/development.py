"""Settings of a developer's machine, on top of the base; read by Django."""

from __future__ import annotations

from platform_site.settings.base import *  # noqa: F403 - Django reads one flat module
from platform_site.settings.configuration import active

# A developer's module chosen by mistake in Production must not show source code.
DEBUG = active().settings.is_development
