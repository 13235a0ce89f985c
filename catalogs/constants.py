"""Functions for code that uses constants: the value of a name on a day, and writing it
through the services."""

from __future__ import annotations

import datetime
from collections.abc import Iterable
from typing import Any, Final

from django.db.models import QuerySet

from catalogs.models import Constant
from platform_site.records.services import create_record, update_record

# The date of a value that needs no history, so that each write changes the same row
# (IMP-305, OPEN-77).
ALWAYS: Final = datetime.date(1900, 1, 1)


def value_on(name: str, day: datetime.date) -> str | None:
    """Return the value of `name` on a day, None if there is none yet."""
    return (
        _live(name)
        .filter(effective_date__lte=day)
        .order_by("-effective_date")
        .values_list("value", flat=True)
        .first()
    )


def values_on(names: Iterable[str], day: datetime.date) -> dict[str, str]:
    """Return the values of several names on a day, with one query; names without one
    are left out."""
    rows = Constant.objects.filter(
        name__in=list(names), is_deleted=False, effective_date__lte=day
    )
    # The newest value of each name comes last.
    return dict(rows.order_by("effective_date").values_list("name", "value"))


def history(name: str) -> list[tuple[datetime.date, str]]:
    """Return every value of `name` with its effective date, the newest first."""
    rows = _live(name).order_by("-effective_date")
    return list(rows.values_list("effective_date", "value"))


def set_value(
    *, name: str, value: str, actor: Any, effective_date: datetime.date = ALWAYS
) -> Constant:
    """Set the value of `name` from a day on; replace a value of the same day.

    Raise NotAllowed if `actor` may not add or change constants (IMP-306), and Refusal
    or Stale if somebody else writes the same value at the same time.
    """
    row = _live(name).filter(effective_date=effective_date).first()
    written: Constant
    if row is not None:
        written = update_record(row=row, data={"value": value}, actor=actor)
        return written
    data = {"name": name, "effectiveDate": effective_date.isoformat(), "value": value}
    written = create_record(model=Constant, data=data, actor=actor)
    return written


def _live(name: str) -> QuerySet[Constant]:
    return Constant.objects.filter(name=name, is_deleted=False)
