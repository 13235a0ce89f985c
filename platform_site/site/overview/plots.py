"""The plot of imports on the start page: how many there were each day, by outcome."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import date, datetime, timedelta
from typing import Any, Final

from django.db.models import Case, Count, IntegerField, Q, Value, When
from django.urls import reverse
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.http import urlencode
from django.utils.translation import gettext as _, ngettext

from importer.models import ImportRun
from importer.registry import may_import
from platform_site.plots import Plot, Point, Shape, register

_DAYS: Final = 30
Status = ImportRun.Status
_OUTCOMES: Final = (
    Q(status=Status.COMPLETED, has_errors=False),
    Q(status=Status.COMPLETED, has_errors=True),
    Q(status=Status.FAILED),
    Q(status=Status.INTERRUPTED),
)


def imports(user: Any) -> Iterator[Plot]:
    """Yield the imports of the last days, if there are any."""
    first = timezone.localdate() - timedelta(days=_DAYS - 1)
    days = [first + timedelta(days=number) for number in range(_DAYS)]
    counts = _counts(days)
    total = sum(counts.values())
    if not total:
        return
    wrong = sum(number for (_day, outcome), number in counts.items() if outcome)
    words = {"count": total, "days": _DAYS, "wrong": wrong}
    finding = ngettext(
        "One import in %(days)s days",
        "%(count)s imports in %(days)s days",
        total,
    )
    if wrong:
        with_problems = ngettext(
            "%(wrong)s of them had problems or failed",
            "%(wrong)s of them had problems or failed",
            wrong,
        )
        finding = f"{finding}; {with_problems}"
    else:
        went_well = _("all of them went well")
        finding = f"{finding}; {went_well}"
    page = reverse("import-page")
    yield Plot(
        "imports",
        _("Imports per day"),
        finding % words,
        Shape.STACKED,
        series=(_("without errors"), _("with errors"), _("failed"), _("interrupted")),
        points=[
            Point(
                date_format(day, "j"),
                date_format(day, "DATE_FORMAT"),
                tuple(counts[number, outcome] for outcome in range(len(_OUTCOMES))),
                f"{page}?{urlencode({'day': day.isoformat()})}#history",
            )
            for number, day in enumerate(days)
        ],
        heading=_("Day"),
        link=f"{page}#history",
        link_text=_("Show the history"),
    )


def _counts(days: list[date]) -> Counter[tuple[int, int]]:
    """Return the number of ended real runs by the place of their day and outcome."""
    starts = [
        timezone.make_aware(datetime.combine(day, datetime.min.time())) for day in days
    ]
    day_of = Case(
        *(
            When(started_at__lt=start, then=Value(number))
            for number, start in enumerate(starts[1:])
        ),
        default=Value(len(days) - 1),
        output_field=IntegerField(),
    )
    outcome_of = Case(
        *(When(one, then=Value(number)) for number, one in enumerate(_OUTCOMES)),
        output_field=IntegerField(),
    )
    runs = ImportRun.objects.real().filter(started_at__gte=starts[0])
    sums = (
        runs.order_by()
        .annotate(day=day_of, outcome=outcome_of)
        .filter(outcome__isnull=False)
        .values_list("day", "outcome")
        .annotate(Count("pk"))
    )
    return Counter({(day, outcome): number for day, outcome, number in sums})


register(imports, seen_by=may_import, order=40)
