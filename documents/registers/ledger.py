"""The ledger: debit and credit of every posting of a posted document. Only posting
writes it, and its entries balance for each document and currency."""

from __future__ import annotations

from typing import ClassVar

from django.db import models
from django.utils.translation import gettext_lazy as _

from catalogs.models import Account, Counterparty, Currency
from documents.registers.register import Register, optional_key, register_key
from platform_site.records.fields import ExactDecimalField


class LedgerEntry(Register):
    """One side of a posting; ``account`` is the account with the role, if there is
    one."""

    # The name of its list in the API.
    list_name: ClassVar[str] = "LedgerEntries"
    # Rows that it refers to count as used by its document.
    row_of: ClassVar[tuple[str, str]] = ("document_type", "document_id")

    date = models.DateTimeField(_("date"))
    document_type = models.CharField(_("kind of document"), max_length=20)
    document_id = models.BigIntegerField(_("document"))
    role = models.CharField(_("role"), max_length=12, choices=Account.Role.choices)
    # The few accounts and currencies tell hardly any entries apart.
    account = optional_key(Account, _("account"), db_index=False)
    counterparty = optional_key(Counterparty, _("counterparty"))
    currency = register_key(Currency, _("currency"), db_index=False)
    debit = ExactDecimalField(_("debit"), default=0)
    credit = ExactDecimalField(_("credit"), default=0)

    class Meta:
        verbose_name = _("ledger entry")
        verbose_name_plural = _("ledger entries")
        indexes = [
            models.Index(fields=["date", "id"], name="ledger_by_date"),
            models.Index(fields=["role", "date"], name="ledger_by_role"),
            # With the sums, so that reports read nothing but the index.
            models.Index(
                fields=[
                    "role",
                    "account",
                    "counterparty",
                    "currency",
                    "date",
                    "debit",
                    "credit",
                    "document_type",
                ],
                name="ledger_sums",
            ),
            models.Index(
                fields=["document_id", "document_type"], name="ledger_of_document"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.document_type} {self.document_id}: {self.role}"
