"""The app of the site's commands, with the guard before migrations."""

from __future__ import annotations

from django.apps import AppConfig
from django.db.models.signals import post_migrate, pre_migrate

from platform_site.database.lookups import register_lookups
from platform_site.housekeeping import register_chore


class PlatformSiteConfig(AppConfig):
    """The app of the site: its management commands, and the guard before migrations."""

    name = "platform_site"
    verbose_name = "Platform"

    def ready(self) -> None:
        """Connect the guard before migrations (OPEN-105) and the cleaning after
        imports, and let searches ignore case."""
        # Models can't be imported earlier.
        from importer.services import (  # noqa: PLC0415 - as said above
            remove_expired,
        )
        from platform_site.site.host.before_migrations import (  # noqa: PLC0415 - as said above
            guard,
            record_added_apps,
        )

        register_lookups()
        register_chore(remove_expired)
        pre_migrate.connect(guard, sender=self)
        post_migrate.connect(record_added_apps, sender=self)
