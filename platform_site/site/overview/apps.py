"""The app of the start page: it replaces Django's admin site and discovers every app's
modules about the start page, the menu and the presets of roles."""

from __future__ import annotations

from django.apps import AppConfig
from django.contrib.admin import apps as admin_apps
from django.utils.module_loading import autodiscover_modules
from django.utils.translation import gettext_lazy as _


class PlatformAdminConfig(admin_apps.AdminConfig):
    """Django's admin app with our site."""

    # The settings name this one; the folder's default app is the other one.
    default = False
    default_site = "platform_site.site.overview.site.PlatformAdminSite"


class OverviewConfig(AppConfig):
    """The app of the start page."""

    name = "platform_site.site.overview"
    verbose_name = _("Overview")

    def ready(self) -> None:
        """Discover the notices, menu entries, plots, quick actions and presets of roles
        of all apps."""
        autodiscover_modules("notices")
        autodiscover_modules("navigation")
        autodiscover_modules("plots")
        autodiscover_modules("quick_actions")
        autodiscover_modules("role_presets")
