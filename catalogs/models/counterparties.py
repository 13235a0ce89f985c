"""Counterparties: customers and suppliers."""

from __future__ import annotations

from django.db import models
from django.utils.translation import gettext_lazy as _

from catalogs.models.catalog import Catalog, deleted_by_code


class Counterparty(Catalog):
    """A customer or supplier of the company."""

    catalog_name = "Counterparties"
    is_customer = models.BooleanField(
        _("customer"),
        default=False,
        help_text=_("The company sells to this counterparty."),
    )
    is_supplier = models.BooleanField(
        _("supplier"),
        default=False,
        help_text=_("The company buys from this counterparty."),
    )
    tax_number = models.CharField(
        _("tax number"),
        max_length=50,
        blank=True,
        help_text=_("The VAT or tax number."),
    )
    email = models.EmailField(
        _("e-mail"),
        blank=True,
        help_text=_("One e-mail address, such as orders@example.com."),
    )
    phone = models.CharField(
        _("phone"),
        max_length=50,
        blank=True,
        help_text=_("The telephone number, with the country code if it is abroad."),
    )
    address = models.TextField(
        _("address"), blank=True, help_text=_("The postal address.")
    )

    class Meta(Catalog.Meta):
        verbose_name = _("counterparty")
        verbose_name_plural = _("counterparties")
        indexes = [
            deleted_by_code("counterparty_deleted"),
        ]
