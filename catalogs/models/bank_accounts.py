"""Bank accounts of the company."""

from __future__ import annotations

from django.db import models
from django.utils.translation import gettext_lazy as _

from catalogs.models.catalog import Catalog
from catalogs.models.currencies import Currency
from platform_site.records.fields import reference


class BankAccount(Catalog):
    """A bank account of the company, in one currency."""

    catalog_name = "BankAccounts"
    number = models.CharField(
        _("number"),
        max_length=50,
        blank=True,
        help_text=_("The account number or IBAN."),
    )
    bank_name = models.CharField(
        _("bank"), max_length=250, blank=True, help_text=_("The name of the bank.")
    )
    currency = reference(
        Currency,
        _("currency"),
        related_name="bank_accounts",
        help_text=_("The currency of the account and of all receipts on it."),
    )

    class Meta(Catalog.Meta):
        verbose_name = _("bank account")
        verbose_name_plural = _("bank accounts")
