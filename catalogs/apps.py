"""The catalogs app."""

from __future__ import annotations

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class CatalogsConfig(AppConfig):
    """The app of items, warehouses, counterparties and other reference data."""

    name = "catalogs"
    verbose_name = _("Catalogs")
