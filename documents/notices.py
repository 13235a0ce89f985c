"""The notices about documents on the start page: what is late, overdue or not posted, and
how many documents the licence still allows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from django.db.models import QuerySet
from django.utils.formats import number_format
from django.utils.text import capfirst
from django.utils.translation import gettext as _, ngettext

from documents.admin.list_links import between, list_link
from documents.licence_guard import created_this_month
from documents.local_days import start_of, today
from documents.models import (
    BankReceipt,
    Document,
    GoodsIssue,
    GoodsReceipt,
    SalesOrder,
)
from documents.payment_terms import PaymentTerms
from documents.states import late_orders, overdue_issues
from licensing.services import current_limits
from platform_site.accounts.services import is_administrator
from platform_site.notices import Notice, NoticeSeverity, register, used

# Nobody needs to know how many more there are.
_MOST: Final = 1_000
# The kinds that change stock or ledger once they are posted.
_POSTED: Final = (GoodsReceipt, GoodsIssue, BankReceipt)


def documents(user: Any) -> Iterator[Notice]:
    """Yield how many of this month's documents are used (HOST-166)."""
    limit = current_limits().documents_per_month
    if limit is not None:
        text = _("Documents this month: %(used)s of the %(limit)s allowed.")
        remedy = _(
            "At the limit no document can be created or imported until the next month "
            "(UTC), and existing ones can still be changed: get a licence for more."
        )
        there = created_this_month(Document.kinds())
        yield used(text, there, limit, remedy=remedy)


def late(user: Any) -> Iterator[Notice]:
    """Yield how many orders should have been delivered already."""
    count = _counted(SalesOrder.objects.filter(late_orders(today())))
    if count:
        text = ngettext(
            "%(count)s order is late: it should have been delivered by now.",
            "%(count)s orders are late: they should have been delivered by now.",
            count,
        )
        link = list_link(SalesOrder, late="yes")
        yield _notice(text, count, link, _("Show the late orders"))


def overdue(user: Any) -> Iterator[Notice]:
    """Yield how many goods issues should have been paid already."""
    issues = GoodsIssue.objects.filter(overdue_issues(PaymentTerms(), today()))
    count = _counted(issues)
    if count:
        text = ngettext(
            "%(count)s goods issue is overdue: it should have been paid by now.",
            "%(count)s goods issues are overdue: they should have been paid by now.",
            count,
        )
        link = list_link(GoodsIssue, late="yes")
        yield _notice(text, count, link, _("Show the overdue goods issues"))


def unposted(kind: type[Document]) -> Any:
    """Return the function that yields how many documents of a kind were left unposted;
    those of today are still being worked on."""

    def notices(user: Any) -> Iterator[Notice]:
        before = start_of(today())
        rows = kind._default_manager.filter(
            is_active=False, is_deleted=False, date__lt=before
        )
        count = _counted(rows)
        if count:
            text = ngettext(
                "%(kind)s: %(count)s from before today isn't posted yet.",
                "%(kind)s: %(count)s from before today aren't posted yet.",
                count,
            )
            link = list_link(kind, is_active__exact=0, **between(None, before))
            title = capfirst(str(kind._meta.verbose_name_plural))
            yield _notice(text, count, link, _("Show them"), kind=title)

    return notices


def _counted(rows: QuerySet[Any]) -> int:
    return rows.order_by()[: _MOST + 1].count()


def _notice(text: str, count: int, link: str, link_text: str, **words: str) -> Notice:
    shown = number_format(min(count, _MOST), force_grouping=True)
    if count > _MOST:
        shown = _("more than %(count)s") % {"count": shown}
    said = text % {"count": shown, **words}
    return Notice(NoticeSeverity.WARNING, said, link, link_text)


def _may_view(kind: type[Document]) -> Any:
    right = f"documents.view_{kind._meta.model_name}"
    return lambda user: user.has_perm(right)


register(late, seen_by=_may_view(SalesOrder))
register(overdue, seen_by=_may_view(GoodsIssue))
for each in _POSTED:
    register(unposted(each), seen_by=_may_view(each))
register(documents, seen_by=is_administrator)
