"""The states of orders and issues: what is late or unpaid, as conditions of lists and of
one document. Whatever is stored for them is written by `documents.posting.progress`."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Any

from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from documents.payment_terms import PaymentTerms
from documents.posting.movements import ZERO


class OrderState(models.TextChoices):
    """How much of an order is delivered."""

    OPEN = "open", _("open")
    PART = "part", _("part delivered")
    DELIVERED = "delivered", _("delivered")


class IssueState(models.TextChoices):
    """How much of a goods issue is paid; nothing is due until it is posted."""

    NOT_POSTED = "draft", _("not posted")
    UNPAID = "unpaid", _("unpaid")
    PART = "part", _("part paid")
    PAID = "paid", _("paid")


# Written so that the indexes of the models serve them.
_UNDELIVERED = Q(is_delivered=False, is_deleted=False)
UNPAID = Q(is_active=True, paid__lt=F("total"))

ORDER_STATES: dict[str, Q] = {
    OrderState.OPEN: _UNDELIVERED & Q(is_part_delivered=False),
    OrderState.PART: Q(is_part_delivered=True),
    OrderState.DELIVERED: Q(is_delivered=True),
}
ISSUE_STATES: dict[str, Q] = {
    IssueState.NOT_POSTED: Q(is_active=False),
    IssueState.UNPAID: UNPAID & Q(paid__lte=0),
    IssueState.PART: UNPAID & Q(paid__gt=0),
    IssueState.PAID: Q(is_active=True, paid__gte=F("total")),
}


def late_orders(today: date) -> Q:
    """Return the condition of orders that should have been delivered before a day."""
    return _UNDELIVERED & Q(due_date__lt=today)


def overdue_issues(terms: PaymentTerms, today: date) -> Q:
    """Return the condition of issues that should have been paid before a day."""
    return UNPAID & terms.overdue(today)


def order_state(order: Any) -> OrderState:
    """Return the state of an order."""
    if order.is_delivered:
        return OrderState.DELIVERED
    return OrderState.PART if order.is_part_delivered else OrderState.OPEN


def issue_state(issue: Any) -> IssueState:
    """Return the state of a goods issue."""
    if not issue.is_active:
        return IssueState.NOT_POSTED
    if issue.paid >= issue.total:
        return IssueState.PAID
    return IssueState.PART if issue.paid > 0 else IssueState.UNPAID


def days_late(order: Any, today: date) -> int:
    """Return for how many days an order is late, 0 if it isn't."""
    if order.is_delivered or order.is_deleted or order.due_date is None:
        return 0
    due_date: date = order.due_date
    return max((today - due_date).days, 0)


def days_overdue(issue: Any, terms: PaymentTerms, today: date) -> int:
    """Return for how many days the payment of an issue is overdue, 0 if it isn't."""
    if open_amount(issue) == 0:
        return 0
    return max((today - terms.due_date(issue.date)).days, 0)


def open_amount(issue: Any) -> Decimal:
    """Return what is still to be paid of an issue."""
    left: Decimal = issue.total - issue.paid
    return left if issue.is_active and left > 0 else ZERO
