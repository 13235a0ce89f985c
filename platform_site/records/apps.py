"""The records app, the base of business rows without tables of its own."""

from __future__ import annotations

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class RecordsConfig(AppConfig):
    """The app of the base of business rows."""

    name = "platform_site.records"
    verbose_name = _("Records")
