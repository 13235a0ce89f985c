"""The app of the first-run wizard."""

from __future__ import annotations

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class WelcomeConfig(AppConfig):
    """The app of the first-run wizard."""

    name = "platform_site.site.welcome"
    verbose_name = _("Welcome")
