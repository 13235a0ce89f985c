"""The admin pages of each kind of document: columns, filters and special fields. What
they share is in `documents.admin.base`."""

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
    """Orders from customers."""

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
    """Deliveries from suppliers."""


@admin.register(models.GoodsIssue)
class GoodsIssueAdmin(DocumentWithLinesAdmin):
    """Deliveries to customers."""

    autocomplete_fields = (*DocumentWithLinesAdmin.autocomplete_fields, "order")


@admin.register(models.BankReceipt)
class BankReceiptAdmin(DocumentAdmin):
    """Incoming payments and refunds."""

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
        """Return the amount in the format of totals."""
        return money(row.amount)

    @admin.display(description=_("income"), ordering="is_income")
    def income(self, row: Any) -> str:
        """Return yes or no as text: Django's icon would show a refund as a fault."""
        return in_words(row.is_income)

    def currency_of(self, row: Any) -> str:
        """Return the currency code of the bank account."""
        return str(row.bank_account.currency.code)

    def get_changeform_initial_data(self, request: HttpRequest) -> dict[str, Any]:
        """Return the initial values; most receipts are incoming payments."""
        return {"is_income": True, **super().get_changeform_initial_data(request)}
