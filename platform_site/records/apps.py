"""The records app: no tables of its own, only what business rows share."""

from __future__ import annotations

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class RecordsConfig(AppConfig):
    """What all business rows have in common."""

    name = "platform_site.records"
    label = "records"
    verbose_name = _("Records")
