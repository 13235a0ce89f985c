"""The strip *Order → Goods issues → Payments* on the pages of these documents: amounts,
states and links, and the next document to create."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from django.http import HttpRequest
from django.utils.text import capfirst
from django.utils.translation import gettext

from documents.admin.copies import create_action, may_add
from documents.admin.states import issue_pills, order_pills, posted_pill
from documents.amounts import amount_in
from documents.models import BankReceipt, GoodsIssue, SalesOrder
from documents.payment_terms import PaymentTerms
from documents.posting.movements import ZERO
from documents.states import open_amount
from platform_site.records.admin.row_parts import Pill, RowAction
from platform_site.records.row_links import link_to_row

# So many documents of one kind are named; the list has all of them.
_MOST: Final = 5


@dataclass(frozen=True, slots=True)
class FlowDocument:
    """A document in the strip."""

    code: str
    url: str
    amount: str
    pills: Sequence[Pill]
    is_current: bool


@dataclass(frozen=True, slots=True)
class FlowStep:
    """The documents of one kind in the strip, and what can be created there."""

    title: str
    documents: Sequence[FlowDocument]
    note: Pill | None = None
    is_more: bool = False
    action: RowAction | None = None

    @property
    def is_current(self) -> bool:
        """Return whether the document of the page is here."""
        return any(each.is_current for each in self.documents)


def flow_of(row: Any, request: HttpRequest) -> list[FlowStep]:
    """Return the strip of a document, empty for kinds that follow no other."""
    order, issues = _chain(row)
    if order is None and not issues:
        return []
    payments = _payments(issues)
    flow = _Flow(row, request, PaymentTerms())
    kinds: list[tuple[Any, list[FlowStep]]] = [
        (SalesOrder, [flow.orders(order)] if order else []),
        (GoodsIssue, [flow.issues(order, issues)]),
        (BankReceipt, [flow.payments(issues, payments)]),
    ]
    return [step for kind, steps in kinds if flow.may_see(kind) for step in steps]


def _chain(row: Any) -> tuple[Any | None, list[Any]]:
    """Return the order and the issues that belong together with a document."""
    if isinstance(row, SalesOrder):
        issues = row.issues.filter(is_deleted=False).select_related("currency")
        return row, list(issues.order_by("date", "pk")[: _MOST + 1])
    issue = row.issue if isinstance(row, BankReceipt) else row
    if not isinstance(issue, GoodsIssue):
        return None, []
    return issue.order, [issue]


def _payments(issues: Iterable[Any]) -> list[Any]:
    """Return the payments of issues, the oldest first."""
    keys = [issue.pk for issue in issues]
    found = BankReceipt.objects.filter(issue__in=keys, is_deleted=False)
    related = found.select_related("bank_account__currency")
    return list(related.order_by("date", "pk")[: _MOST + 1])


class _Flow:
    """What the steps of one strip share."""

    def __init__(self, row: Any, request: HttpRequest, terms: PaymentTerms) -> None:
        self._row, self._request, self._terms = row, request, terms

    def may_see(self, model: Any) -> bool:
        """Return whether the reader may see a kind of document."""
        opts = model._meta
        right = f"{opts.app_label}.view_{opts.model_name}"
        return bool(self._request.user.has_perm(right))

    def orders(self, order: Any) -> FlowStep:
        """Return the step of the order."""
        shown = self._document(order, order.currency, order_pills(order))
        return FlowStep(_title(SalesOrder), [shown])

    def issues(self, order: Any | None, issues: Sequence[Any]) -> FlowStep:
        """Return the step of the issues, with the creation of one for the rest."""
        shown = [
            self._document(each, each.currency, issue_pills(each, self._terms))
            for each in issues[:_MOST]
        ]
        wanted = order is not None and not (order.is_delivered or order.is_deleted)
        action = self._create(order, GoodsIssue) if wanted else None
        return FlowStep(_title(GoodsIssue), shown, None, len(issues) > _MOST, action)

    def payments(self, issues: Sequence[Any], payments: Sequence[Any]) -> FlowStep:
        """Return the step of the payments: what is open or too much, and the creation
        of one for the rest."""
        currency = {each.pk: each.currency_id for each in issues}
        shown = []
        for each in payments[:_MOST]:
            account = each.bank_account
            pills = [posted_pill(each)]
            if not each.is_income:
                pills.append(Pill(gettext("refund"), "warn"))
            if account.currency_id != currency[each.issue_id]:
                pills.append(Pill(gettext("other currency"), "warn"))
            shown.append(self._document(each, account.currency, pills))
        due = [each for each in issues if open_amount(each) and not each.is_deleted]
        action = self._create(due[0], BankReceipt) if due else None
        more = len(payments) > _MOST
        return FlowStep(_title(BankReceipt), shown, _difference(issues), more, action)

    def _create(self, source: Any, model: Any) -> RowAction | None:
        allowed = may_add(self._request, model) and self.may_see(type(source))
        return create_action(source, model) if allowed else None

    def _document(
        self, document: Any, currency: Any, pills: Iterable[Pill]
    ) -> FlowDocument:
        current = type(document) is type(self._row) and document.pk == self._row.pk
        url = link_to_row(type(document), document.pk, self._request.user)
        amount = amount_in(document.total, currency)
        return FlowDocument(document.code, url, amount, [*pills], current)


def _difference(issues: Sequence[Any]) -> Pill | None:
    """Return how what is paid differs from what is due, None without posted issues or
    if they are in several currencies."""
    posted = [each for each in issues if each.is_active]
    if not posted or len({each.currency_id for each in posted}) > 1:
        return None
    currency = posted[0].currency
    due = sum((each.total for each in posted), ZERO)
    paid = sum((each.paid for each in posted), ZERO)
    words = {
        "paid": amount_in(paid, currency),
        "due": amount_in(due, currency),
        "difference": amount_in(abs(paid - due), currency),
    }
    if paid > due:
        return Pill(gettext("%(difference)s more paid than due") % words, "bad")
    if paid == due:
        return Pill(gettext("%(paid)s paid") % words, "good")
    return Pill(gettext("%(paid)s of %(due)s paid") % words, "warn" if paid else "")


def _title(model: Any) -> str:
    return str(capfirst(model._meta.verbose_name))
