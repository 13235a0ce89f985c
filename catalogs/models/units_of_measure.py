"""Units of measure."""

from __future__ import annotations

from django.db import models
from django.utils.translation import gettext_lazy as _

from catalogs.models.catalog import Catalog


class UnitOfMeasure(Catalog):
    """A unit in which quantities are counted."""

    catalog_name = "UnitsOfMeasure"
    code = models.CharField(
        _("code"),
        max_length=20,
        help_text=_("The abbreviation of the unit, such as pcs or kg."),
    )

    class Meta(Catalog.Meta):
        verbose_name = _("unit of measure")
        verbose_name_plural = _("units of measure")
