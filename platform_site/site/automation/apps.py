"""The app of the automation page."""

from __future__ import annotations

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class AutomationConfig(AppConfig):
    """The app of the automation page."""

    name = "platform_site.site.automation"
    verbose_name = _("Automation")
