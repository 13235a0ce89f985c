"""The app of the change history."""

from __future__ import annotations

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class ChangesConfig(AppConfig):
    """The app of the change history."""

    name = "platform_site.changes"
    verbose_name = _("Change history")
