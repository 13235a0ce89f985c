"""The documents in the administration: which columns and filters each kind has; what
they have in common is in `documents.admin.base`."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from documents import models
from documents.admin.base import DocumentAdmin, DocumentWithLinesAdmin
from platform_site.changes.labels import in_words
from platform_site.records.admin.formatting import money


@admin.register(models.SalesOrder)
class SalesOrderAdmin(DocumentWithLinesAdmin):
    """What customers want."""

    list_display = (
        "code",
        "date_shown",
        "total_shown",
        "posted",
        "counterparty",
        "due_date",
    )


@admin.register(models.GoodsReceipt)
class GoodsReceiptAdmin(DocumentWithLinesAdmin):
    """What suppliers delivered."""


@admin.register(models.GoodsIssue)
class GoodsIssueAdmin(DocumentWithLinesAdmin):
    """What went to customers."""

    autocomplete_fields = (*DocumentWithLinesAdmin.autocomplete_fields, "order")


@admin.register(models.BankReceipt)
class BankReceiptAdmin(DocumentAdmin):
    """Money that came, or went back."""

    list_display = (
        "code",
        "date_shown",
        "total_shown",
        "income",
        "posted",
        "counterparty",
        "bank_account",
    )
    list_select_related = ("counterparty", "bank_account__currency")
    autocomplete_fields = ("bank_account", "counterparty", "issue")

    @admin.display(description=_("amount"))
    def amount_shown(self, row: Any) -> str:
        """Return the amount as totals are shown."""
        return money(row.amount)

    @admin.display(description=_("income"), ordering="is_income")
    def income(self, row: Any) -> str:
        """Say in words whether the money came: paying back is nothing wrong."""
        return in_words(row.is_income)

    def currency_of(self, row: Any) -> str:
        """Return the code of the bank account's currency."""
        return str(row.bank_account.currency.code)

    def get_changeform_initial_data(self, request: HttpRequest) -> dict[str, Any]:
        """Begin with money that comes: it mostly does."""
        return {"is_income": True, **super().get_changeform_initial_data(request)}
