"""Hold documents to the licence: each save by its rules and actions, a package as a
whole before its first write (OPEN-82, OPEN-83). What is there already stays editable."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from typing import Any

from django.utils import timezone

from documents.numbering import hold_all_sequences
from importer.package.shapes import LimitReached, Problem
from importer.pipeline.survey import Survey
from licensing.limits import Limits, judge_documents, judge_lines
from licensing.services import current_limits
from platform_site.changes.acting import current
from platform_site.records.look import Look

_LINES = "lines"


class LinesWithinLicence:
    """A document gets no more lines than the licence allows, unless it has them."""

    def check(self, row: Any, before: Any | None, look: Look) -> Iterator[Problem]:
        """Refuse more lines than allowed; LimitReached, for it is no wrong value."""
        count = len(row.lines)
        if before is not None and count <= len(before.lines):
            return
        limits = current_limits()
        refuse_if(
            judge_lines(limits, count),
            at=_LINES,
            limit="linesPerDocument",
            used=count,
            allowed=limits.lines_per_document,
        )
        yield from ()


class MonthWithinLicence:
    """No more documents are created in a month than the licence allows."""

    def act(self, row: Any) -> None:
        """Refuse a new document too many, before it draws a number.

        In a run the whole package was judged before, so that none is counted twice.
        """
        limits = current_limits()
        unlimited = limits.documents_per_month is None
        if unlimited or not row._state.adding or current().run_id is not None:
            return
        # Whoever creates a document holds a sequence: holding all, nobody else does.
        hold_all_sequences()
        needed = created_this_month(row.kinds()) + 1
        refuse_if(
            judge_documents(limits, needed),
            limit="documentsPerMonth",
            used=needed - 1,
            allowed=limits.documents_per_month,
        )


def refuse_if(reason: str | None, *, at: str = "", **members: Any) -> None:
    """Raise LimitReached with a reason, if there is one; ``members`` are its own."""
    if reason is not None:
        raise LimitReached([Problem(at, reason, "limit-reached")], **members)


def judge_package(
    limits: Limits, created: int, surveys: Sequence[Survey]
) -> Iterator[str]:
    """Yield what the limits have against a package; ``created`` is this month's count.

    Its documents count in the current month, whatever their dates say (IMP-333).
    """
    new = sum(survey.new for survey in surveys)
    longest = max((survey.lines for survey in surveys), default=0)
    reasons = (
        judge_documents(limits, created + new) if new else None,
        judge_lines(limits, longest),
    )
    yield from (reason for reason in reasons if reason is not None)


def created_this_month(kinds: Iterable[Any]) -> int:
    """Count the documents created in this month of UTC, deleted ones too: one query."""
    start, end = month_of(timezone.now())
    first, *others = (
        kind._base_manager.order_by().filter(created__gte=start, created__lt=end)
        for kind in kinds
    )
    keys = (documents.values("pk") for documents in others)
    count: int = first.values("pk").union(*keys, all=True).count()
    return count


def month_of(moment: datetime) -> tuple[datetime, datetime]:
    """Return the first moment of a moment's month in UTC, and that of the next."""
    now = moment.astimezone(UTC)
    start = datetime(now.year, now.month, 1, tzinfo=UTC)
    year, month = divmod(now.year * 12 + now.month, 12)
    return start, datetime(year, month + 1, 1, tzinfo=UTC)
