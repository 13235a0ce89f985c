"""The app of notifications: messages to single users, and the bell above the pages."""

from __future__ import annotations

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class NotificationsConfig(AppConfig):
    """The app of notifications."""

    name = "platform_site.notifications"
    verbose_name = _("Notifications")
