"""The app of webhooks."""

from __future__ import annotations

from django.apps import AppConfig
from django.db.models.signals import pre_delete
from django.utils.translation import gettext_lazy as _

from platform_site.housekeeping import register_chore
from platform_site.senders import Sender, register_sender


class WebhooksConfig(AppConfig):
    """The app of webhooks."""

    name = "platform_site.webhooks"
    verbose_name = _("Webhooks")

    def ready(self) -> None:
        """Have deliveries sent, and old ones deleted."""
        # Models can't be imported earlier.
        from platform_site.accounts import consequences  # noqa: PLC0415 - as said above
        from platform_site.accounts.models import User  # noqa: PLC0415 - as said above
        from platform_site.webhooks import (  # noqa: PLC0415 - as said above
            change_events,
            finished_runs,
            of_users,
            outbox,
            sending,
        )

        pre_delete.connect(of_users.delete_with_user, sender=User)
        consequences.register(of_users.silent_webhooks)

        change_events.register()
        finished_runs.register()
        register_sender(Sender("webhooks", sending.is_due, sending.send_due))
        register_chore(outbox.delete_old)
