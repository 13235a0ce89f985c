"""The app of the search above all pages: it discovers every app's ``search.py``."""

from __future__ import annotations

from django.apps import AppConfig
from django.utils.module_loading import autodiscover_modules
from django.utils.translation import gettext_lazy as _


class SearchConfig(AppConfig):
    """The app of the search above all pages."""

    name = "platform_site.site.search"
    verbose_name = _("Search")

    def ready(self) -> None:
        """Discover what all apps let people find."""
        autodiscover_modules("search")
