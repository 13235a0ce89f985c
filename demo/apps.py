"""The demo app, the last one, since it uses all others."""

from __future__ import annotations

from django.apps import AppConfig
from django.db.models.signals import post_migrate
from django.utils.translation import gettext_lazy as _


class DemoConfig(AppConfig):
    """The demo app, which seeds after migrations."""

    name = "demo"
    verbose_name = _("Demo data")

    def ready(self) -> None:
        """Connect the seeding to migrations, after that of the accounts."""
        # Models can't be imported earlier.
        from demo.receivers import seed_after_migrate  # noqa: PLC0415 - as said above

        post_migrate.connect(
            seed_after_migrate, sender=self, dispatch_uid="platform.demo.seeding"
        )
