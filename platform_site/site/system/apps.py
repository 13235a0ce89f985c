"""The app of the system page."""

from __future__ import annotations

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class SystemConfig(AppConfig):
    """The app of the system page."""

    name = "platform_site.site.system"
    verbose_name = _("System")
