"""The app of webhooks. Commands that tell nobody anything don't load what tells it."""

from __future__ import annotations

from typing import Any

from django.apps import AppConfig
from django.conf import settings
from django.db.models.signals import pre_delete
from django.utils.translation import gettext_lazy as _

from platform_site.housekeeping import register_chore
from platform_site.senders import Sender, register_sender

_SENDING = "platform_site.webhooks.sending"


class WebhooksConfig(AppConfig):
    """The app of webhooks."""

    name = "platform_site.webhooks"
    verbose_name = _("Webhooks")

    def ready(self) -> None:
        """Have deliveries sent, and old ones deleted."""
        # Models can't be imported earlier.
        from platform_site.accounts import consequences  # noqa: PLC0415 - as said above

        register_sender(
            Sender("webhooks", f"{_SENDING}.is_due", f"{_SENDING}.send_due")
        )
        register_chore(_delete_old)
        pre_delete.connect(_delete_with_user, sender=settings.AUTH_USER_MODEL)
        consequences.register(_silent_webhooks)


def _delete_old() -> None:
    from platform_site.webhooks import outbox  # noqa: PLC0415 - see the module

    outbox.delete_old()


def _delete_with_user(instance: Any, **kwargs: Any) -> None:
    from platform_site.webhooks import of_users  # noqa: PLC0415 - see the module

    of_users.delete_webhooks_of(instance)


def _silent_webhooks(users: Any) -> Any:
    from platform_site.webhooks import of_users  # noqa: PLC0415 - see the module

    return of_users.silent_webhooks(users)
