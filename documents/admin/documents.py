"""The documents in the administration: which columns and filters each kind has; what
they have in common is in `documents.admin.base`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.contrib import admin

from documents import models
from documents.admin.base import DocumentAdmin, DocumentWithLinesAdmin

if TYPE_CHECKING:
    from django.http import HttpRequest


@admin.register(models.SalesOrder)
class SalesOrderAdmin(DocumentWithLinesAdmin):
    """What customers want."""

    list_display = (
        "code",
        "date_shown",
        "counterparty",
        "warehouse",
        "due_date",
        "total_shown",
        "posted",
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
        "bank_account",
        "counterparty",
        "total_shown",
        "is_income",
        "posted",
    )
    list_select_related = ("counterparty", "bank_account__currency")
    autocomplete_fields = ("bank_account", "counterparty", "issue")

    def currency_of(self, row: Any) -> str:
        """Return the code of the bank account's currency."""
        return str(row.bank_account.currency.code)

    def get_changeform_initial_data(self, request: HttpRequest) -> dict[str, Any]:
        """Begin with money that comes: it mostly does."""
        return {"is_income": True, **super().get_changeform_initial_data(request)}
