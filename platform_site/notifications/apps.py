"""The app of notifications: messages to single users, and the bell above the pages."""

from __future__ import annotations

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _

from platform_site.senders import Sender, register_sender


class NotificationsConfig(AppConfig):
    """The app of notifications."""

    name = "platform_site.notifications"
    verbose_name = _("Notifications")

    def ready(self) -> None:
        """Have notifications sent by e-mail."""
        mails = "platform_site.notifications.mails"
        register_sender(
            Sender("mail", f"{mails}.is_mail_due", f"{mails}.send_due_mails")
        )
