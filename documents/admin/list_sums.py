"""The line under a list of documents: how many they are, and the sum of their totals in
each currency."""

from __future__ import annotations

from typing import Any

from django.contrib.admin.utils import model_ngettext
from django.db.models import Count, Sum
from django.utils.formats import number_format
from django.utils.html import format_html, format_html_join
from django.utils.translation import gettext as _

from catalogs.models import Currency
from documents.amounts import amount_in


def sums_of(changelist: Any, currency: str) -> str:
    """Return the number of documents in a list and their sums by currency, with one
    query; if there are more than a list counts, the reason why they aren't added up."""
    pages = changelist.paginator
    if pages.is_more:
        most = number_format(pages.most, force_grouping=True)
        sentence = _(
            "More than %(most)s rows aren't added up; filter to see their sum."
        )
        return sentence % {"most": most}
    summed = (
        changelist.queryset.order_by()
        .values_list(f"{currency}__code", f"{currency}__minor_units")
        .annotate(Count("pk"), Sum("total"))
        .order_by(f"{currency}__code")
    )
    # With one currency for all rows there may be a sum even without any.
    sums = [each for each in summed if each[2]]
    count = sum(each[2] for each in sums)
    number = f"{number_format(count, force_grouping=True)} "
    words = format_html(
        '<span class="nowrap">{}</span>',
        number + model_ngettext(changelist.opts, count),
    )
    amounts = (
        (amount_in(total, Currency(code=code, minor_units=digits)),)
        for code, digits, _number, total in sums
    )
    return words + format_html_join("", " · {}", amounts)
