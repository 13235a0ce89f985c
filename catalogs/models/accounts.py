"""The chart of accounts, in folders."""

from __future__ import annotations

from django.db import models
from django.utils.translation import gettext_lazy as _

from catalogs.models.catalog import HierarchicalCatalog
from platform_site.records.models import unique_while_live


class Account(HierarchicalCatalog):
    """An account of the ledger; its role determines which postings it receives."""

    class Kind(models.TextChoices):
        """The side of the books to which an account belongs."""

        ASSET = "asset", _("asset")
        LIABILITY = "liability", _("liability")
        EQUITY = "equity", _("equity")
        INCOME = "income", _("income")
        EXPENSE = "expense", _("expense")

    class Role(models.TextChoices):
        """The role of an account in postings; one account per role."""

        INVENTORY = "inventory", _("inventory")
        PAYABLES = "payables", _("payables")
        RECEIVABLES = "receivables", _("receivables")
        SALES = "sales", _("sales")
        COST_OF_GOODS = "costOfGoods", _("cost of goods")
        BANK = "bank", _("bank")

    catalog_name = "Accounts"
    kind = models.CharField(
        _("kind"),
        max_length=10,
        choices=Kind.choices,
        null=True,
        blank=True,
        help_text=_("The side of the books to which the account belongs."),
    )
    role = models.CharField(
        _("role"),
        max_length=12,
        choices=Role.choices,
        null=True,
        blank=True,
        help_text=_(
            "What postings use the account for. Each role can be given to one account only."
        ),
    )

    class Meta(HierarchicalCatalog.Meta):
        verbose_name = _("account")
        verbose_name_plural = _("accounts")
        constraints = [
            *HierarchicalCatalog.Meta.constraints,
            unique_while_live("role", "%(app_label)s_%(class)s_role_once"),
        ]
