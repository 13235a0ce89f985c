"""The first-run wizard as an app, for its table, its pages and its style."""

from __future__ import annotations

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class WelcomeConfig(AppConfig):
    """Name the app."""

    name = "platform_site.welcome"
    verbose_name = _("Welcome")
