"""Settings of every environment but Development, on top of the base; read by Django."""

from __future__ import annotations

from platform_site.settings.base import *  # noqa: F403 - Django reads one flat module

DEBUG = False
# Sent on HTTPS answers only: 30 days, no sub-domains, no preload (OPEN-101).
SECURE_HSTS_SECONDS = 30 * 24 * 60 * 60
