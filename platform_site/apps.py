"""The site itself as an app, so that Django finds its commands and asks its guard before
every migration."""

from __future__ import annotations

from django.apps import AppConfig
from django.db.models.signals import pre_migrate

from platform_site.host.before_migrations import guard


class PlatformSiteConfig(AppConfig):
    """Register the site's management commands and the guard before migrations."""

    name = "platform_site"
    verbose_name = "Platform"

    def ready(self) -> None:
        """Have every `migrate` asked once, whichever command runs it (OPEN-105)."""
        pre_migrate.connect(guard, sender=self)
