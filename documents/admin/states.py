"""The states of documents on pages: the column of lists, the filters, and the pills of one
document."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, ClassVar

from django.contrib import admin
from django.db.models import Q, QuerySet
from django.http import HttpRequest
from django.utils.html import format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext, gettext_lazy as _, ngettext

from documents.local_days import today
from documents.payment_terms import PaymentTerms
from documents.states import (
    ISSUE_STATES,
    ORDER_STATES,
    UNPAID,
    IssueState,
    OrderState,
    days_late,
    days_overdue,
    issue_state,
    late_orders,
    order_state,
    overdue_issues,
)
from platform_site.records.admin.row_parts import Pill, Tone

_TONES: dict[str, Tone] = {
    OrderState.OPEN: "",
    OrderState.PART: "warn",
    OrderState.DELIVERED: "good",
    IssueState.NOT_POSTED: "quiet",
    IssueState.UNPAID: "",
    IssueState.PAID: "good",
}


def posted_pill(row: Any) -> Pill:
    """Return whether a document is posted."""
    if row.is_active:
        return Pill(gettext("posted"), "good")
    return Pill(gettext("not posted"), "quiet")


def order_pills(order: Any) -> Iterator[Pill]:
    """Yield how much of an order is delivered, and how late it is."""
    state = order_state(order)
    yield Pill(str(state.label), _TONES[state])
    days = days_late(order, today())
    if days:
        said = ngettext("%(days)d day late", "%(days)d days late", days)
        yield Pill(said % {"days": days}, "bad")


def issue_pills(issue: Any, terms: PaymentTerms) -> Iterator[Pill]:
    """Yield how much of an issue is paid, and how long it is overdue."""
    state = issue_state(issue)
    yield Pill(str(state.label), _TONES[state])
    days = days_overdue(issue, terms, today())
    if days:
        said = ngettext("%(days)d day overdue", "%(days)d days overdue", days)
        yield Pill(said % {"days": days}, "bad")


def pills_in_html(pills: Iterable[Pill]) -> SafeString:
    """Return pills side by side."""
    shown = ((f"is-{pill.tone}" if pill.tone else "", pill.text) for pill in pills)
    return format_html_join(" ", '<span class="pill {}">{}</span>', shown)


class StateColumnMixin(admin.ModelAdmin[Any]):
    """A list whose rows show their states."""

    def state_pills(self, row: Any) -> Iterable[Pill]:
        """Return the states of a row, the most important ones first."""
        return [posted_pill(row)]

    @admin.display(description=_("state"))
    def state_shown(self, row: Any) -> SafeString:
        """Return the states of a row for its list."""
        return pills_in_html(self.state_pills(row))


class _ConditionFilter(admin.SimpleListFilter):
    """A filter by named conditions."""

    def conditions(self) -> dict[str, tuple[Any, Any]]:
        """Return the text and the condition of each choice."""
        raise NotImplementedError(f"{type(self).__name__} has no choices.")

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        """Return the choices."""
        return [(name, text) for name, (text, _q) in self.conditions().items()]

    def queryset(
        self, request: HttpRequest, queryset: QuerySet[Any]
    ) -> QuerySet[Any] | None:
        """Return the rows of the chosen condition."""
        chosen = self.conditions().get(str(self.value()))
        return None if chosen is None else queryset.filter(chosen[1])


class DeliveryFilter(_ConditionFilter):
    """A filter of orders by how much is delivered."""

    title = _("delivery")
    parameter_name = "state"
    states: ClassVar[dict[str, Q]] = ORDER_STATES
    labels: ClassVar[Any] = OrderState

    def conditions(self) -> dict[str, tuple[Any, Any]]:
        """Return the states."""
        return {n: (self.labels(n).label, q) for n, q in self.states.items()}


class PaymentFilter(DeliveryFilter):
    """A filter of goods issues by how much is paid."""

    title = _("payment")
    states = ISSUE_STATES
    labels = IssueState


class LateFilter(_ConditionFilter):
    """A filter for orders that should have been delivered."""

    title = _("late")
    parameter_name = "late"

    def conditions(self) -> dict[str, tuple[Any, Any]]:
        """Return the only choice."""
        return {"yes": (_("late"), late_orders(today()))}


class OverdueFilter(_ConditionFilter):
    """A filter for issues that should have been paid."""

    title = _("overdue")
    parameter_name = "late"

    def conditions(self) -> dict[str, tuple[Any, Any]]:
        """Return the only choice."""
        if self.value() != "yes":
            return {"yes": (_("overdue"), Q())}
        return {"yes": (_("overdue"), overdue_issues(PaymentTerms(), today()))}


class UnpaidFilter(_ConditionFilter):
    """A filter for posted issues of which something is still to be paid."""

    title = _("unpaid")
    parameter_name = "unpaid"

    def conditions(self) -> dict[str, tuple[Any, Any]]:
        """Return the only choice."""
        return {"yes": (_("unpaid"), UNPAID)}
