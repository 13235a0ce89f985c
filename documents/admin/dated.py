"""The date navigation of lists, from years to days. It is left out if a date can't be
shown in the reader's zone."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from django.contrib import admin
from django.db.models import Q, QuerySet
from django.http import HttpRequest
from django.utils import timezone

# Beyond these the local date is out of range in some zone.
_EARLIEST = datetime(1, 1, 3, tzinfo=UTC)
_LATEST = datetime(9999, 12, 29, tzinfo=UTC)
# The first moment of a period.
_DAY: Final[dict[str, Any]] = {"hour": 0, "minute": 0, "second": 0, "microsecond": 0}
_MONTH: Final = {**_DAY, "day": 1}
_STARTS: Final = {"year": {**_MONTH, "month": 1}, "month": _MONTH, "day": _DAY}
# Long enough to reach the next period, short enough to skip none.
_STEPS: Final = {
    "year": timedelta(days=366),
    "month": timedelta(days=31),
    "day": timedelta(days=1),
}


class DatedMixin(admin.ModelAdmin[Any]):
    """The date navigation of a list, unless one of its dates has no local time."""

    date_hierarchy = "date"

    def get_changelist_instance(self, request: HttpRequest) -> Any:
        """Return the list, without date navigation if some date can't be shown."""
        shown = super().get_changelist_instance(request)
        edges = Q(date__lt=_EARLIEST) | Q(date__gt=_LATEST)
        if self.model._base_manager.filter(edges).exists():
            shown.date_hierarchy = None
        rows = shown.queryset
        # Django asks these rows for both ends of their dates in one query, and for their
        # distinct periods: each reads all of them, where an index knows the answers.
        ends = {"first": _next(rows, "date"), "last": _next(rows, "-date")}
        rows.aggregate = lambda **_asked: ends
        rows.datetimes = lambda _name, kind: list(_periods(rows, kind, **ends))
        return shown


def _next(rows: QuerySet[Any], order: str) -> datetime | None:
    """Return the first date of some rows in an order, None without rows."""
    date: datetime | None
    for date in rows.order_by(order).values_list("date", flat=True)[:1]:
        return date
    return None


def _periods(
    rows: QuerySet[Any], kind: str, first: datetime | None, last: datetime | None
) -> Iterator[datetime]:
    """Yield the start of the periods of rows: the years that have some, or every month
    or day from the first date to the last."""
    at = first
    while at is not None and last is not None and at <= last:
        start = timezone.localtime(at).replace(**_STARTS[kind])
        yield start
        try:
            at = (start + _STEPS[kind]).replace(**_STARTS[kind])
        except OverflowError:
            return
        if kind == "year":
            at = _next(rows.filter(date__gte=at), "date")
