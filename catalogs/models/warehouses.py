"""Warehouses."""

from __future__ import annotations

from django.db import models
from django.utils.translation import gettext_lazy as _

from catalogs.models.catalog import Catalog


class Warehouse(Catalog):
    """A place that holds stock."""

    catalog_name = "Warehouses"
    address = models.TextField(
        _("address"), blank=True, help_text=_("Where the warehouse is.")
    )

    class Meta(Catalog.Meta):
        verbose_name = _("warehouse")
        verbose_name_plural = _("warehouses")
