"""The plots of the start page about documents and registers: sales, the value of the
stock, and what customers owe."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from decimal import Decimal
from itertools import pairwise
from typing import Any, Final

from django.urls import reverse
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.http import urlencode
from django.utils.text import capfirst
from django.utils.translation import gettext as _

from documents.admin.list_links import between, list_link
from documents.admin.report_tables import shown_in
from documents.local_days import day_of, start_of, today
from documents.models import GoodsIssue
from documents.payment_terms import PaymentTerms
from documents.reports.amounts import (
    CurrencyAmounts,
    receivables_by_age,
    sales_by_month,
    stock_values,
)
from documents.reports.periods import months
from platform_site.plots import Plot, Point, Shape, register

_MONTHS: Final = 12
# Fewer points are no picture.
_FEWEST: Final = 3
# Days overdue at which the next group of receivables begins.
_AGES: Final = (0, 30, 60, 90)
# More currencies would push everything else off the page.
_MOST: Final = 3


def sales(user: Any) -> Iterator[Plot]:
    """Yield what was sold in each of the last months, by currency."""
    edges = months(_MONTHS)
    ends = [*pairwise(edges)]
    found = [each for each in sales_by_month(edges) if any(each.amounts)]
    for each in found[:_MOST]:
        last, now = each.amounts[-2:]
        words = {
            "month": _month(edges[-2]),
            "amount": _shown(now, each),
            "before": _month(edges[-3]),
            "amount_before": _shown(last, each),
        }
        yield _plot(
            f"sales-{each.currency.pk}",
            each,
            subject=_("Sales per month"),
            finding=_("%(month)s: %(amount)s so far; %(before)s: %(amount_before)s")
            % words,
            heading=capfirst(_("month")),
            points=_since_first(
                Point(_short(start), _month(start), (amount,), _issues(start, end))
                for (start, end), amount in zip(ends, each.amounts, strict=True)
            ),
            link=_issues(edges[0], edges[-1]),
            link_text=_("Show the goods issues"),
            note=_note(found),
        )


def stock_value(user: Any) -> Iterator[Plot]:
    """Yield the value of the stock at the ends of months and now, by currency."""
    edges = months(_MONTHS)[1:-1]
    found = [each for each in stock_values(edges) if any(each.amounts)]
    for each in found[:_MOST]:
        *_earlier, last, now = each.amounts
        points = [
            Point(
                _short(edge - timedelta.resolution),
                _day(edge - timedelta.resolution),
                (amount,),
                _report("stock-report", edge - timedelta.resolution),
            )
            for edge, amount in zip(edges, each.amounts, strict=False)
        ]
        points.append(Point(_("now"), _("now"), (now,), _report("stock-report")))
        words = {
            "value": _shown(now, each),
            "change": _shown(abs(now - last), each),
            "day": _day(edges[-1] - timedelta.resolution),
        }
        if now > last:
            text = _("The stock is worth %(value)s, %(change)s more than on %(day)s")
        elif now < last:
            text = _("The stock is worth %(value)s, %(change)s less than on %(day)s")
        else:
            text = _("The stock is worth %(value)s, as much as on %(day)s")
        yield _plot(
            f"stock-{each.currency.pk}",
            each,
            subject=_("Stock value over time"),
            finding=text % words,
            shape=Shape.LINE,
            heading=_("Date"),
            points=_since_first(points),
            link=_report("stock-report"),
            link_text=_("Show the stock on hand"),
            note=_note(found),
        )


def receivables(user: Any) -> Iterator[Plot]:
    """Yield what customers have still to pay, by how long it is overdue."""
    found = receivables_by_age([today() - timedelta(days=age) for age in _AGES])
    names = (
        _("not due"),
        _("1 to 30 days"),
        _("31 to 60 days"),
        _("61 to 90 days"),
        _("over 90 days"),
    )
    links = [*_links_by_age()]
    for each in found[:_MOST]:
        overdue = sum(each.amounts[1:], Decimal(0))
        words = {
            "amount": _shown(sum(each.amounts, Decimal(0)), each),
            "overdue": _shown(overdue, each),
        }
        if overdue:
            text = _("Customers have to pay %(amount)s; %(overdue)s is overdue")
        else:
            text = _("Customers have to pay %(amount)s; nothing is overdue")
        yield _plot(
            f"receivables-{each.currency.pk}",
            each,
            subject=_("Receivables by age"),
            finding=text % words,
            shape=Shape.ROWS,
            heading=_("Overdue for"),
            points=[
                Point(name, name, (amount,), link)
                for name, amount, link in zip(names, each.amounts, links, strict=True)
            ],
            link=list_link(GoodsIssue, unpaid="yes"),
            link_text=_("Show the unpaid goods issues"),
            note=_note(found),
        )


def _links_by_age() -> Iterator[str]:
    """Yield the unpaid issues of each age, by the dates that today's terms give."""
    now = timezone.now()
    days = (PaymentTerms().due_date(now) - day_of(now)).days
    edges = [None, *(start_of(today(), -age - days) for age in _AGES), None]
    for end, start in pairwise(edges):
        yield list_link(GoodsIssue, unpaid="yes", **between(start, end))


def _plot(key: str, each: CurrencyAmounts, **words: Any) -> Plot:
    """Return a plot of amounts in one currency."""
    words["subject"] = f"{words['subject']} · {each.currency.code}"
    heading = _("Amount")
    shown = shown_in(each.currency)
    return Plot(key, series=(heading,), shown=shown, **words)


def _shown(value: Decimal | int, each: CurrencyAmounts) -> str:
    return shown_in(each.currency)(value)


def _since_first(points: Iterable[Point]) -> list[Point]:
    """Return the points without the months before a company began to work here."""
    found = [*points]
    first = next(n for n, point in enumerate(found) if any(point.values))
    return found[max(0, min(first - 1, len(found) - _FEWEST)) :]


def _note(found: Sequence[CurrencyAmounts]) -> str:
    """Return which currencies have no plot, because there are too many."""
    others = ", ".join(each.currency.code for each in found[_MOST:])
    return _("Without %(currencies)s") % {"currencies": others} if others else ""


def _issues(start: datetime, end: datetime) -> str:
    return list_link(GoodsIssue, is_active__exact=1, **between(start, end))


def _report(name: str, day: datetime | None = None) -> str:
    path = reverse(name)
    if day is None:
        return path
    return f"{path}?{urlencode({'as_of': timezone.localtime(day).date().isoformat()})}"


def _month(moment: datetime) -> str:
    return capfirst(date_format(timezone.localtime(moment), "YEAR_MONTH_FORMAT"))


def _short(moment: datetime) -> str:
    return date_format(timezone.localtime(moment), "M")


def _day(moment: datetime) -> str:
    return date_format(timezone.localtime(moment), "DATE_FORMAT")


def _may(codename: str) -> Any:
    return lambda user: user.has_perm(f"documents.{codename}")


register(sales, seen_by=_may("view_goodsissue"), order=10)
register(stock_value, seen_by=_may("view_stockmovement"), order=20)
register(receivables, seen_by=_may("view_goodsissue"), order=30)
