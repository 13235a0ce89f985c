"""Bank receipts: incoming payments and refunds."""

from __future__ import annotations

from decimal import Decimal

from django.core.validators import MinValueValidator
from django.db import models
from django.utils.translation import gettext_lazy as _

from catalogs.models import Account, BankAccount, Counterparty
from documents.models.document import Document
from documents.models.goods_issues import GoodsIssue
from documents.posting.movements import Posting
from platform_site.records.fields import (
    ExactDecimalField,
    optional_reference,
    reference,
)

Role = Account.Role


class BankReceipt(Document):
    """An amount on a bank account, in the currency of that account."""

    catalog_name = "BankReceipts"
    number_prefix = "BR"
    total_of = frozenset({"amount"})
    postings_from = frozenset(
        {"date", "counterparty_id", "bank_account_id", "is_income", "amount"}
    )
    settles = "issue"
    settles_from = frozenset({"issue_id", "bank_account_id", "is_income", "amount"})
    bank_account = reference(
        BankAccount,
        _("bank account"),
        help_text=_("The bank account that receives the amount, or that refunds it."),
    )
    counterparty = reference(
        Counterparty,
        _("counterparty"),
        help_text=_("Who pays the amount, or to whom it is refunded."),
    )
    is_income = models.BooleanField(
        _("income"), help_text=_("Yes for a payment received, no for a refund.")
    )
    amount = ExactDecimalField(
        _("amount"),
        validators=[MinValueValidator(Decimal(0))],
        help_text=_("The amount in the currency of the bank account, 0 or more."),
    )
    purpose = models.TextField(
        _("purpose"),
        blank=True,
        help_text=_("The purpose stated in the bank transfer."),
    )
    issue = optional_reference(
        GoodsIssue,
        _("goods issue"),
        related_name="receipts",
        help_text=_("The goods issue that is paid, if there is one."),
    )

    class Meta(Document.Meta):
        verbose_name = _("bank receipt")
        verbose_name_plural = _("bank receipts")
        permissions = [
            ("post_bankreceipt", "Can post bank receipt"),
            ("unpost_bankreceipt", "Can unpost bank receipt"),
        ]

    def compute_total(self) -> None:
        """Set the total to the amount."""
        self.total = self.amount

    def postings(self, cost: Decimal) -> list[Posting]:
        """Return the posting between bank and receivables."""
        debit, credit = Role.BANK, Role.RECEIVABLES
        if not self.is_income:
            debit, credit = credit, debit
        return [Posting(debit, credit, self.total)]

    @property
    def ledger_currency_id(self) -> int:
        """Return the key of the bank account's currency."""
        accounts = BankAccount._base_manager.filter(pk=self.bank_account_id)
        currency_id: int = accounts.values_list("currency_id", flat=True).get()
        return currency_id
