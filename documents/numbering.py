"""Document numbers: a gapless sequence for each kind of document and year.

A number is drawn in the transaction of the first save, from a row that stays locked
until its end. A refused save therefore loses no number, and two writers never share
one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from functools import cache
from typing import Any
from zoneinfo import ZoneInfo

from django.conf import settings
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from platform_site.database.prepared_queries import PreparedQuery, updating

_LOOKED_AT_ONCE = 100
_PREDICTED_AT_ONCE = 1000
_SHORT_CODE = re.compile(r"(?:(?P<prefix>[A-Z]+)[- ]?)?(?P<number>[0-9]{1,6})")


class NumberSequence(models.Model):
    """The last number drawn for a kind of document in a year."""

    kind = models.CharField(_("kind of document"), max_length=20)
    year = models.PositiveSmallIntegerField(_("year"))
    last = models.PositiveBigIntegerField(_("last number"), default=0)

    class Meta:
        verbose_name = _("number sequence")
        verbose_name_plural = _("number sequences")
        constraints = [
            models.UniqueConstraint(fields=["kind", "year"], name="sequence_once")
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.year}: {self.last}"


_SEQUENCE = PreparedQuery(
    lambda kind, year: (
        NumberSequence.objects.select_for_update()
        .filter(kind=kind, year=year)
        .values_list("pk", "last")
    )
)
_DRAWN = PreparedQuery(
    lambda key, number: updating(NumberSequence.objects.filter(pk=key), last=number)
)


class AssignNumber:
    """An action that gives a new document without a code the next number."""

    def act(self, row: Any) -> None:
        """Draw a code for a new document without one."""
        if row._state.adding and not row.code:
            row.code = draw(type(row), row.date)


def draw(model: Any, date: datetime) -> str:
    """Draw and return the next code that no document has, deleted ones included.

    It must run inside the transaction that saves the document.
    """
    year = numbering_year(date)
    key, last = _locked(model.catalog_name, year)
    for number in _candidates(model, year, last):
        _DRAWN.update(key, number)
        return code_of(model, year, number)
    raise RuntimeError("Numbers never end.")


def upcoming(model: Any, year: int) -> Iterator[str]:
    """Yield the codes that would be drawn next, without drawing them."""
    sequences = NumberSequence.objects.filter(kind=model.catalog_name, year=year)
    last = sequences.values_list("last", flat=True).first() or 0
    for number in _candidates(model, year, last, _PREDICTED_AT_ONCE):
        yield code_of(model, year, number)


class PlannedNumbers:
    """The numbers that the documents of a dry run would draw."""

    def __init__(self) -> None:
        self._upcoming: dict[tuple[str, int], Iterator[str]] = {}

    def draw(self, row: Any, taken: Callable[[str], bool]) -> str:
        """Return the next code of a planned document; ``taken`` returns whether another
        planned one has a code."""
        model, year = type(row), numbering_year(row.date)
        codes = self._upcoming.setdefault(
            (model.catalog_name, year), upcoming(model, year)
        )
        return next(code for code in codes if not taken(code))


def code_of(model: Any, year: int, number: int) -> str:
    """Return the code of a number: ``SO-2026-000001``."""
    return f"{model.number_prefix}-{year:04d}-{number:06d}"


def codes_meant(model: Any, text: str) -> list[str]:
    """Return the codes of this year and the last one that a short form means: ``130``,
    ``GI-130`` or ``GI 130``."""
    short = _SHORT_CODE.fullmatch(text.strip().upper())
    if short is None or short["prefix"] not in (None, model.number_prefix):
        return []
    year = numbering_year(timezone.now())
    return [code_of(model, each, int(short["number"])) for each in (year, year - 1)]


def numbering_year(date: datetime) -> int:
    """Return the year of an instant in ``Platform:TimeZone``."""
    zone = ZoneInfo(settings.PLATFORM_TIME_ZONE)
    try:
        return date.astimezone(zone).year
    except OverflowError:
        # The local time is out of range in the first and last hours of time.
        return date.astimezone(UTC).year


def _locked(kind: str, year: int) -> tuple[int, int]:
    """Return key and last number of a sequence, locked until the commit."""
    for key, last in _SEQUENCE.rows(kind, year):
        return key, last
    # If another writer is first, this waits for it and inserts nothing.
    first = NumberSequence(kind=kind, year=year)
    NumberSequence.objects.bulk_create([first], ignore_conflicts=True)
    ((key, last),) = _SEQUENCE.rows(kind, year)
    return key, last


@cache
def _holders(model: Any) -> PreparedQuery:
    """Return the query for codes that documents of a kind have, deleted ones too."""
    return PreparedQuery(
        lambda codes: (
            model._base_manager.order_by()
            .filter(code__one_of=codes)
            .values_list("code")
        )
    )


def _candidates(model: Any, year: int, last: int, step: int = 1) -> Iterator[int]:
    """Yield free numbers after the last one; the queries cover ever larger ranges."""
    while True:
        numbers = range(last + 1, last + 1 + step)
        codes = {code_of(model, year, number): number for number in numbers}
        taken = {code for (code,) in _holders(model).rows(list(codes))}
        yield from (number for code, number in codes.items() if code not in taken)
        last, step = numbers[-1], max(step, _LOOKED_AT_ONCE)
