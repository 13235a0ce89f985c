"""Django's settings for a developer's machine."""

from __future__ import annotations

from platform_site.settings.base import *  # noqa: F403 - Django reads one flat module
from platform_site.settings.configuration import active

# If this module is used in Production by mistake, it must not show source code.
DEBUG = active().settings.is_development
