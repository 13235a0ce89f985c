"""The app of saved views."""

from __future__ import annotations

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class SavedViewsConfig(AppConfig):
    """The app of saved views."""

    name = "platform_site.saved_views"
    verbose_name = _("Saved views")
