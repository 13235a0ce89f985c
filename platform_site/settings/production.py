"""Django's settings for every environment but Development."""

from __future__ import annotations

from platform_site.settings.base import *  # noqa: F403 - Django reads one flat module

DEBUG = False
# Sent only in HTTPS responses: 30 days, no sub-domains, no preload (OPEN-101).
SECURE_HSTS_SECONDS = 30 * 24 * 60 * 60
