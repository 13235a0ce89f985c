"""The licence limits of documents, checked on each save, and for a package as a whole
before its first write (OPEN-82, OPEN-83). Existing documents stay editable."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from typing import Any

from django.db import transaction
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext as _

from documents.reservations import (
    DocumentReservation,
    locked_reservation,
    run_in_progress,
)
from importer import LimitReached
from importer.registry import Survey
from importer.targets import Write
from licensing.limits import LicenceLimits, judge_documents, judge_lines
from licensing.services import current_limits
from platform_site.changes.context import current

_LINES = "lines"


class MonthWithinLicence:
    """An action that refuses documents beyond the monthly limit of the licence."""

    def act(self, row: Any) -> None:
        """Refuse a document beyond the limit before it draws a number.

        Documents that the import engine writes were counted with their package; those
        that a data processor creates during a run count like any other.
        """
        judged = row.import_key is not None and current().run_id is not None
        if judged or not row._state.adding:
            return
        reached = month_reached(row.kinds())
        if reached is not None:
            raise reached


def month_reached(kinds: Iterable[Any]) -> LimitReached | None:
    """Return why no further document can be created this month, None if one can.

    It locks the count until the end of the transaction.
    """
    limits = current_limits()
    if limits.documents_per_month is None:
        return None
    reservation = locked_reservation()
    promised = reservation.documents if reservation.holds() else 0
    but = reservation if promised else None
    used = created_this_month(kinds, but=but) + promised
    reason = judge_documents(limits, used + 1)
    if reason is None:
        return None
    if promised:
        text = _("The import in progress (%(package)s) creates %(count)s of them.")
        words = {"package": reservation.package, "count": promised}
        reason = f"{reason} {text % words}"
    allowed = limits.documents_per_month
    return LimitReached.of(
        reason, limit="documentsPerMonth", used=used, allowed=allowed
    )


def lines_reached(order: Write) -> LimitReached | None:
    """Return why a document can't have the given lines, None if it can.

    A document that exceeds the limit already may keep its number of lines.
    """
    given = (order.values or {}).get(_LINES)
    count = len(given) if isinstance(given, list) else 0
    if order.row is not None and count <= len(order.row.lines):
        return None
    limits = current_limits()
    name = _("this document") if order.row is None else str(order.row)
    reason = judge_lines(limits, count, document=name)
    if reason is None:
        return None
    allowed = limits.lines_per_document
    return LimitReached.of(
        reason, limit="linesPerDocument", used=count, allowed=allowed, path=_LINES
    )


def judge_package(
    limits: LicenceLimits, created: int, surveys: Sequence[Survey]
) -> Iterator[str]:
    """Yield the limits that a package exceeds; ``created`` is this month's count.

    Its documents count in the current month, whatever their dates are (IMP-333).
    """
    new = sum(survey.new for survey in surveys)
    longest = max(surveys, key=lambda survey: survey.lines)
    reasons = (
        judge_documents(limits, created + new) if new else None,
        judge_lines(limits, longest.lines, document=longest.longest),
    )
    yield from (reason for reason in reasons if reason is not None)


def admit_package(kinds: Iterable[Any], surveys: Sequence[Survey]) -> list[str]:
    """Return the limits that a package exceeds.

    If there are none, a real run reserves places for its documents, which others who
    create documents leave free. A dry run reserves nothing.
    """
    limits, run = current_limits(), run_in_progress()
    if limits.documents_per_month is None:
        return [*judge_package(limits, 0, surveys)]
    if run is None:
        return [*judge_package(limits, created_this_month(kinds), surveys)]
    with transaction.atomic():
        reservation = locked_reservation()
        found = [*judge_package(limits, created_this_month(kinds), surveys)]
        new = sum(survey.new for survey in surveys)
        if new and not found:
            reservation.make(run, new)
    return found


def created_this_month(
    kinds: Iterable[Any], *, but: DocumentReservation | None = None
) -> int:
    """Return the number of documents created this UTC month, deleted ones included.

    It takes one query. The documents of a reservation ``but`` can be left out.
    """
    start, end = month_of(timezone.now())
    own = Q(pk__in=()) if but is None else but.its_documents()
    first, *others = (
        kind._base_manager.order_by()
        .filter(created__gte=start, created__lt=end)
        .exclude(own)
        for kind in kinds
    )
    keys = (documents.values("pk") for documents in others)
    count: int = first.values("pk").union(*keys, all=True).count()
    return count


def month_of(moment: datetime) -> tuple[datetime, datetime]:
    """Return the start of an instant's month in UTC, and that of the next month."""
    now = moment.astimezone(UTC)
    start = datetime(now.year, now.month, 1, tzinfo=UTC)
    year, month = divmod(now.year * 12 + now.month, 12)
    return start, datetime(year, month + 1, 1, tzinfo=UTC)
