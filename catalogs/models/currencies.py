"""Currencies."""

from __future__ import annotations

from django.core.validators import MaxValueValidator
from django.db import models
from django.utils.translation import gettext_lazy as _

from catalogs.models.catalog import Catalog

MOST_MINOR_UNITS = 6


class Currency(Catalog):
    """A currency of prices, amounts and accounts."""

    catalog_name = "Currencies"
    code = models.CharField(
        _("code"),
        max_length=10,
        help_text=_("The three letters of the currency, such as EUR."),
    )
    symbol = models.CharField(
        _("symbol"),
        max_length=10,
        blank=True,
        help_text=_("The symbol of the currency, such as €."),
    )
    minor_units = models.PositiveSmallIntegerField(
        _("minor units"),
        null=True,
        blank=True,
        validators=[MaxValueValidator(MOST_MINOR_UNITS)],
        help_text=_("Digits after the decimal point, 0 to 6."),
    )

    class Meta(Catalog.Meta):
        verbose_name = _("currency")
        verbose_name_plural = _("currencies")
