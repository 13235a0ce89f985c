"""The site itself as an app, so that Django finds its commands."""

from __future__ import annotations

from django.apps import AppConfig


class PlatformSiteConfig(AppConfig):
    """Register the site's management commands."""

    name = "platform_site"
    verbose_name = "Platform"
