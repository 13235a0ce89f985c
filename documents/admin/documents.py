"""The admin pages of each kind of document: columns, filters and special fields. What
they share is in `documents.admin.base`."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.http import HttpRequest
from django.utils.formats import date_format
from django.utils.text import capfirst
from django.utils.translation import gettext, gettext_lazy as _

from documents import models
from documents.admin.base import DocumentAdmin
from documents.admin.entry import PaymentEntryMixin
from documents.admin.line_texts import delivered_lines
from documents.admin.states import (
    DeliveryFilter,
    LateFilter,
    OverdueFilter,
    PaymentFilter,
    UnpaidFilter,
    issue_pills,
    order_pills,
    posted_pill,
)
from documents.admin.with_lines import DocumentWithLinesAdmin
from documents.amounts import amount_in, amount_of
from documents.local_days import today
from documents.payment_terms import PaymentTerms
from documents.states import days_late, days_overdue, open_amount
from platform_site.records.admin.row_parts import Figure, Pill, Tone


@admin.register(models.SalesOrder)
class SalesOrderAdmin(DocumentWithLinesAdmin):
    """Orders from customers."""

    purpose = _("What customers have ordered. A goods issue can be created from each.")
    list_display = (
        "code",
        "date_shown",
        "counterparty",
        "total_shown",
        "due_shown",
        "state_shown",
    )
    list_filter = (
        *DocumentWithLinesAdmin.list_filter,
        DeliveryFilter,
        LateFilter,
    )

    def lines_of(self, row: Any) -> list[dict[str, Any]]:
        """Return the lines, with what is delivered of each once something is."""
        if row.is_delivered or row.is_part_delivered:
            return delivered_lines(row, row.currency)
        return super().lines_of(row)

    @admin.display(description=_("due date"), ordering="due_date")
    def due_shown(self, row: Any) -> str:
        """Return the due date in the short form of the date beside it."""
        due = row.due_date
        return "" if due is None else date_format(due, "SHORT_DATE_FORMAT")

    def state_pills(self, row: Any) -> list[Pill]:
        """Return how much is delivered and how late it is; orders post nothing, so
        only one that isn't posted says so."""
        unposted = [] if row.is_active else [posted_pill(row)]
        return [*order_pills(row), *unposted]

    def row_figures(self, request: HttpRequest, row: Any) -> list[Figure]:
        """Return the total, and when the customer expects the goods."""
        found = super().row_figures(request, row)
        if row.due_date is not None:
            late = bool(days_late(row, today()))
            due = date_format(row.due_date, "DATE_FORMAT")
            tone: Tone = "bad" if late else ""
            found.append(Figure(str(capfirst(gettext("due date"))), due, tone=tone))
        return found


@admin.register(models.GoodsReceipt)
class GoodsReceiptAdmin(DocumentWithLinesAdmin):
    """Deliveries from suppliers."""

    purpose = _("What suppliers have delivered. Posting adds it to stock.")


@admin.register(models.GoodsIssue)
class GoodsIssueAdmin(DocumentWithLinesAdmin):
    """Deliveries to customers."""

    purpose = _("What customers have received. Posting takes it from stock.")
    list_display = (
        "code",
        "date_shown",
        "counterparty",
        "total_shown",
        "paid_shown",
        "due_shown",
        "state_shown",
    )
    list_filter = (
        *DocumentWithLinesAdmin.list_filter,
        PaymentFilter,
        UnpaidFilter,
        OverdueFilter,
    )
    autocomplete_fields = (*DocumentWithLinesAdmin.autocomplete_fields, "order")

    def get_changelist_instance(self, request: HttpRequest) -> Any:
        """Return the list, whose rows share the terms of payment."""
        shown = super().get_changelist_instance(request)
        terms = PaymentTerms()
        for row in shown.result_list:
            row.terms = terms
        return shown

    def state_pills(self, row: Any) -> list[Pill]:
        """Return how much is paid and for how long it is overdue."""
        return [*issue_pills(row, getattr(row, "terms", None) or PaymentTerms())]

    def row_figures(self, request: HttpRequest, row: Any) -> list[Figure]:
        """Return the total, what is paid and open, and when it is due."""
        found = super().row_figures(request, row)
        if not row.is_active:
            return found
        terms, currency = PaymentTerms(), row.currency
        tone: Tone = "bad" if days_overdue(row, terms, today()) else ""
        found.append(Figure(gettext("Paid"), amount_in(row.paid, currency)))
        left = open_amount(row)
        if left:
            due = date_format(terms.due_date(row.date), "DATE_FORMAT")
            found += [
                Figure(gettext("Still to pay"), amount_in(left, currency), tone=tone),
                Figure(gettext("Payment due"), due, tone=tone),
            ]
        return found

    @admin.display(description=_("payment due"), ordering="date")
    def due_shown(self, row: Any) -> str:
        """Return until when what is open has to be paid, empty if nothing is."""
        if not row.is_active or not open_amount(row):
            return ""
        terms = getattr(row, "terms", None) or PaymentTerms()
        return date_format(terms.due_date(row.date), "SHORT_DATE_FORMAT")

    @admin.display(description=_("paid"), ordering="paid")
    def paid_shown(self, row: Any) -> str:
        """Return what is paid, in the currency of the issue."""
        return amount_of(row.paid, row.currency)


@admin.register(models.BankReceipt)
class BankReceiptAdmin(PaymentEntryMixin, DocumentAdmin):
    """Incoming payments and refunds."""

    purpose = _("Payments that customers made, and refunds.")
    currency_path = "bank_account__currency"
    list_display = (
        "code",
        "date_shown",
        "counterparty",
        "total_shown",
        "kind_shown",
        "bank_account",
        "state_shown",
    )
    list_select_related = ("counterparty", "bank_account__currency")
    autocomplete_fields = ("bank_account", "counterparty", "issue")

    @admin.display(description=_("amount"))
    def amount_shown(self, row: Any) -> str:
        """Return the amount in the format of totals."""
        return amount_of(row.amount, row.bank_account.currency)

    @admin.display(description=_("kind"), ordering="is_income")
    def kind_shown(self, row: Any) -> str:
        """Return whether the customer has paid or got something back."""
        return gettext("Payment received") if row.is_income else gettext("Refund")

    def currency_of(self, row: Any) -> Any:
        """Return the currency of the bank account."""
        return row.bank_account.currency

    def get_changeform_initial_data(self, request: HttpRequest) -> dict[str, Any]:
        """Return the initial values; most receipts are incoming payments."""
        return {"is_income": True, **super().get_changeform_initial_data(request)}
