"""The demo app, which is last: it uses every other app."""

from __future__ import annotations

from django.apps import AppConfig
from django.db.models.signals import post_migrate
from django.utils.translation import gettext_lazy as _


class DemoConfig(AppConfig):
    """The app of the demo data, with its seeding connected to migrations."""

    name = "demo"
    verbose_name = _("Demo data")

    def ready(self) -> None:
        """Seed when Django has migrated, after the accounts, which stand before."""
        # The models behind it can be imported only now.
        from demo.receivers import seed_after_migrate  # noqa: PLC0415 - as said above

        post_migrate.connect(
            seed_after_migrate, sender=self, dispatch_uid="platform.demo.seeding"
        )
