"""What counterparties owe and are owed, and the balances of accounts, on their pages.
Whoever may not see the entries sees no sum of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import Any, Final

from django.db.models import Q, QuerySet, Sum
from django.http import HttpRequest
from django.utils.translation import gettext

from catalogs.models import Account, Currency
from documents.admin.buttons import page_of
from documents.admin.catalog_stock import may_view
from documents.amounts import amount_in
from documents.local_days import today
from documents.models import BankReceipt, GoodsIssue, LedgerEntry, SalesOrder
from documents.payment_terms import PaymentTerms
from documents.reports.cache import results
from documents.states import overdue_issues
from platform_site.records.admin.formatting import day_or_moment, quantity
from platform_site.records.admin.row_parts import Figure, RowParts, Tone

_MOST_COUNTED: Final = 100
_RECEIVABLES, _PAYABLES = Account.Role.RECEIVABLES, Account.Role.PAYABLES

# An amount for each currency, by its key.
Sums = Sequence[tuple[int, Decimal]]


class CounterpartyParts(RowParts):
    """What a customer owes, ordered and paid, and what is owed to a supplier."""

    def figures(self, request: HttpRequest, row: Any) -> Sequence[Figure]:
        """Return the figures that the reader may see."""
        found: list[Figure] = []
        if may_view(request, LedgerEntry):
            found += _owed(row)
        if may_view(request, GoodsIssue):
            found += _overdue(row)
        if may_view(request, SalesOrder):
            found += _open_orders(row)
        if may_view(request, BankReceipt):
            found += _last_payment(row)
        return found


class AccountParts(RowParts):
    """The balance of an account in each currency."""

    def figures(self, request: HttpRequest, row: Any) -> Sequence[Figure]:
        """Return debit less credit."""
        if row.is_folder or not may_view(request, LedgerEntry):
            return ()
        # Added up once until a register changes. The index begins with the role.
        entries = LedgerEntry.objects.filter(role__in=Account.Role.values, account=row)
        sums = results.result(
            ("balance of account", row.pk), lambda: _balances(entries)
        )
        link = f"{page_of(LedgerEntry, 'changelist')}?account__id__exact={row.pk}"
        return [*_figures(gettext("Balance"), sums, link)]


class BankAccountParts(RowParts):
    """What bank receipts brought to a bank account."""

    def figures(self, request: HttpRequest, row: Any) -> Sequence[Figure]:
        """Return the posted receipts less refunds."""
        if not may_view(request, BankReceipt):
            return ()
        receipts = BankReceipt.objects.filter(bank_account=row, is_active=True)
        total = results.result(
            ("balance of bank account", row.pk), lambda: _received(receipts)
        )
        return [
            Figure(
                gettext("Balance"),
                amount_in(total, row.currency),
                f"{page_of(BankReceipt, 'changelist')}?bank_account__id__exact={row.pk}",
                gettext("posted receipts less refunds"),
            )
        ]


def _owed(counterparty: Any) -> Iterator[Figure]:
    """Yield what a counterparty owes and is owed, with one query for both."""
    # Only these two roles name a counterparty. Filtered by them, SQLite would read all
    # their entries instead of those of the counterparty.
    entries = LedgerEntry.objects.filter(counterparty=counterparty)
    sums: dict[str, list[tuple[int, Decimal]]] = {_RECEIVABLES: [], _PAYABLES: []}
    grouped = entries.order_by().values_list("role", "currency_id")
    for role, currency, debit, credit in grouped.annotate(
        Sum("debit"), Sum("credit")
    ).order_by("role", "currency_id"):
        owed = debit - credit
        if role in sums:
            sums[role].append((currency, owed if role == _RECEIVABLES else -owed))
    link = f"{page_of(LedgerEntry, 'changelist')}?counterparty__id__exact="
    for role, label, known in (
        (_RECEIVABLES, gettext("Open amount"), counterparty.is_customer),
        (_PAYABLES, gettext("Payables"), counterparty.is_supplier),
    ):
        if known or sums[role]:
            url = f"{link}{counterparty.pk}&role__exact={role}"
            yield from _figures(label, sums[role], url)


def _overdue(customer: Any) -> Iterator[Figure]:
    """Yield what should have been paid by now."""
    overdue = GoodsIssue.objects.filter(
        overdue_issues(PaymentTerms(), today()), counterparty=customer, is_deleted=False
    )
    found = overdue.order_by().values_list("currency_id")
    found = found.annotate(Sum("total"), Sum("paid")).order_by("currency_id")
    sums = [(currency, total - paid) for currency, total, paid in found]
    if sums:
        link = f"{page_of(GoodsIssue, 'changelist')}?counterparty__id__exact="
        url = f"{link}{customer.pk}&late=yes"
        yield from _figures(gettext("Overdue"), sums, url, "bad")


def _open_orders(customer: Any) -> Iterator[Figure]:
    orders = SalesOrder.objects.filter(
        counterparty=customer, is_delivered=False, is_deleted=False
    )
    count = len(orders.order_by().values_list("pk")[:_MOST_COUNTED])
    if count or customer.is_customer:
        text = quantity(count)
        url = (
            f"{page_of(SalesOrder, 'changelist')}?counterparty__id__exact={customer.pk}"
        )
        yield Figure(
            gettext("Open orders"),
            f"{text}+" if count == _MOST_COUNTED else text,
            f"{url}&is_delivered__exact=0",
        )


def _last_payment(customer: Any) -> Iterator[Figure]:
    receipts = BankReceipt.objects.filter(
        counterparty=customer, is_active=True, is_income=True
    ).select_related("bank_account__currency")
    for receipt in receipts.order_by("-date", "-pk")[:1]:
        yield Figure(
            gettext("Last payment"),
            amount_in(receipt.total, receipt.bank_account.currency),
            page_of(receipt, "row", receipt.pk),
            day_or_moment(receipt.date),
        )


def _figures(label: str, sums: Sums, link: str, tone: Tone = "") -> Iterator[Figure]:
    """Yield a figure for each currency, or one that there is nothing."""
    currencies = Currency._base_manager.in_bulk([key for key, _sum in sums])
    for key, value in sums:
        yield Figure(label, amount_in(value, currencies[key]), link, tone=tone)
    if not sums:
        yield Figure(label, quantity(0), link)


def _balances(entries: QuerySet[Any]) -> Sums:
    grouped = entries.order_by().values_list("currency_id")
    sums = grouped.annotate(Sum("debit"), Sum("credit")).order_by("currency_id")
    return [(currency, debit - credit) for currency, debit, credit in sums]


def _received(receipts: QuerySet[Any]) -> Decimal:
    sums = receipts.aggregate(
        received=Sum("total", filter=Q(is_income=True)),
        refunded=Sum("total", filter=Q(is_income=False)),
    )
    zero = Decimal(0)
    return (sums["received"] or zero) - (sums["refunded"] or zero)
