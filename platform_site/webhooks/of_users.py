"""What becomes of webhooks with the accounts of their users."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.utils.translation import gettext as _

from platform_site.accounts.models import User
from platform_site.webhooks.models import Webhook
from platform_site.webhooks.services import delete_webhook


def delete_webhooks_of(user: Any) -> None:
    """Delete the webhooks of a user who is deleted, each with its own change event."""
    for webhook in Webhook.objects.filter(user=user).select_related("user"):
        delete_webhook(webhook)


def silent_webhooks(users: list[User]) -> Iterator[str]:
    """Yield a sentence for each webhook that is told nothing, because its user is
    inactive."""
    idle = [user.pk for user in users if not user.is_active]
    rows = Webhook.objects.filter(enabled=True, user__in=idle).select_related("user")
    sentence = _("The webhook %(address)s is told nothing: “%(user)s” is inactive.")
    for webhook in rows.order_by("pk"):
        yield sentence % {"address": webhook, "user": webhook.user}
