"""The catalogs app."""

from __future__ import annotations

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class CatalogsConfig(AppConfig):
    """Items, warehouses, counterparties and their like."""

    name = "catalogs"
    verbose_name = _("Catalogs")
