"""The list filters for ranges: dates between two days or in a period that is named, and
numbers between two others. Lists that filter by such a column have them without being
told to."""

from __future__ import annotations

import calendar
from collections.abc import Callable, Iterator
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any, Final, TypeVar

from django import forms
from django.contrib import admin
from django.contrib.admin.options import IncorrectLookupParameters
from django.contrib.admin.views.main import ChangeList
from django.core.exceptions import ValidationError
from django.db import models
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils import timezone
from django.utils.dateparse import parse_date, parse_datetime
from django.utils.formats import date_format
from django.utils.translation import gettext as _, gettext_lazy

from platform_site.changes.labels import number_in_words

_Day = TypeVar("_Day", bound=date)

_DAY: Final = timedelta(days=1)
_LONGEST: Final = 40


def _week(today: date) -> tuple[date, date]:
    start = today - timedelta(days=today.weekday())
    return start, start + timedelta(days=6)


def _month(today: date) -> tuple[date, date]:
    days = calendar.monthrange(today.year, today.month)[1]
    return today.replace(day=1), today.replace(day=days)


# By the value of the parameter: the words, and the first and last day.
PERIODS: Final[dict[str, tuple[Any, Callable[[date], tuple[date, date]]]]] = {
    "today": (gettext_lazy("today"), lambda today: (today, today)),
    "this_week": (gettext_lazy("this week"), _week),
    "this_month": (gettext_lazy("this month"), _month),
    "last_month": (
        gettext_lazy("last month"),
        lambda today: _month(today.replace(day=1) - _DAY),
    ),
    "this_year": (
        gettext_lazy("this year"),
        lambda today: (
            today.replace(month=1, day=1),
            today.replace(month=12, day=31),
        ),
    ),
}


class RangeFilter(admin.FieldListFilter):
    """A filter with a form for both ends of a range."""

    # The lookups at the ends of the range; each is a parameter.
    lookups: tuple[str, ...] = ("gte", "lte")
    input_type = "text"

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        request: HttpRequest = args[1]
        own = self.expected_parameters()
        self.kept = [
            (name, value)
            for name, values in request.GET.lists()
            for value in values
            if name not in (*own, "p", "e")
        ]

    def expected_parameters(self) -> list[str | None]:
        """Return the parameters, named like lookups of the column."""
        return [f"{self.field_path}__{lookup}" for lookup in self.lookups]

    def given(self, lookup: str) -> str:
        """Return the value of a parameter, empty without one."""
        values: Any = self.used_parameters.get(f"{self.field_path}__{lookup}", [])
        return str(values[-1]) if values else ""

    def ends(self) -> list[dict[str, Any]]:
        """Return the fields of the form: their parameters, labels and values."""
        labels = {"gte": _("From"), "lte": _("To")}
        return [
            {
                "name": f"{self.field_path}__{lookup}",
                "label": label,
                "value": self.typed(lookup),
            }
            for lookup, label in labels.items()
        ]

    def typed(self, lookup: str) -> str:
        """Return what stands in the field of an end."""
        return self.given(lookup)

    def choices(self, changelist: ChangeList) -> Iterator[Any]:
        """Return no choices: the ends are typed."""
        yield from ()

    def chip_text(self, changelist: ChangeList) -> str:
        """Return the range in words, empty if there is none."""
        raise NotImplementedError


class DateRangeFilter(RangeFilter):
    """A filter by days of the reader's time zone: a named period, or from a day to a day.

    The last day is included. Times that Django's own filter writes into links work too.
    """

    template = "records/date_filter.html"
    lookups = ("gte", "lte", "lt", "period", "isnull")
    input_type = "date"

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._has_time = isinstance(self.field, models.DateTimeField)

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """Return the rows with a date in the range."""
        wanted: dict[str, Any] = {}
        period = self.given("period")
        if period:
            if period not in PERIODS:
                raise IncorrectLookupParameters
            first, last = PERIODS[period][1](timezone.localdate())
            wanted = {"gte": self._start(first), "lt": self._start(last + _DAY)}
        for lookup in ("gte", "lt"):
            if text := self.given(lookup):
                wanted[lookup] = self._end(text)
        if text := self.given("lte"):
            day = _day(text)
            queryset = queryset.filter(
                **{f"{self.field_path}__lt": self._start(day + _DAY)}
                if day is not None
                else {f"{self.field_path}__lte": self._end(text)}
            )
        if text := self.given("isnull"):
            if text not in ("True", "False"):
                raise IncorrectLookupParameters
            wanted["isnull"] = text == "True"
        named = {f"{self.field_path}__{name}": end for name, end in wanted.items()}
        return queryset.filter(**named) if named else queryset

    def _start(self, day: date) -> date:
        """Return the first moment of a day, or the day of a column without times."""
        if not self._has_time:
            return day
        return timezone.make_aware(datetime.combine(day, time.min))

    def _end(self, text: str) -> date:
        day = _day(text)
        if day is not None:
            return self._start(day)
        moment = _moment(text)
        return moment if self._has_time else timezone.localdate(moment)

    def typed(self, lookup: str) -> str:
        """Return the day that the browser's field shows."""
        text = self.given(lookup)
        if lookup == "lte" and not text and (until := self.given("lt")):
            day = _day(until) or timezone.localdate(_moment(until))
            return (day - _DAY).isoformat()
        return "" if not text else (_day(text) or _moment(text).date()).isoformat()

    def choices(self, changelist: ChangeList) -> Iterator[Any]:
        """Return the periods, and for a column that may be empty the rows without."""
        own = [name for name in self.expected_parameters() if name]
        chosen = {"period": self.given("period"), "isnull": self.given("isnull")}

        def choice(lookup: str, value: str, display: Any) -> dict[str, Any]:
            new = {f"{self.field_path}__{lookup}": value}
            return {
                "selected": chosen[lookup] == value,
                "query_string": changelist.get_query_string(new, own),
                "display": display,
            }

        for name, (words, _ends) in PERIODS.items():
            yield choice("period", name, words)
        if self.field.null:
            yield choice("isnull", "True", _("no date"))
            yield choice("isnull", "False", _("has date"))

    def chip_text(self, changelist: ChangeList) -> str:
        """Return the period, or the days from and to, in words."""
        for choice in self.choices(changelist):
            if choice["selected"]:
                return str(choice["display"])
        first, last = self.typed("gte"), self.typed("lte")
        words = {"first": _shown(first), "last": _shown(last)}
        if first and last:
            return _("%(first)s to %(last)s") % words
        if first:
            return _("from %(first)s") % words
        return _("to %(last)s") % words if last else ""


class NumberRangeFilter(RangeFilter):
    """A filter by the numbers between two others, both included."""

    template = "records/range_filter.html"
    input_type = "number"

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """Return the rows with a number in the range."""
        wanted = {
            f"{self.field_path}__{lookup}": self._number(lookup)
            for lookup in self.lookups
            if self.given(lookup)
        }
        return queryset.filter(**wanted) if wanted else queryset

    def _number(self, lookup: str) -> Decimal:
        """Return an end of the range; raise IncorrectLookupParameters for none."""
        places = getattr(self.field, "decimal_places", 0)
        digits = getattr(self.field, "max_digits", 9)
        field = forms.DecimalField(
            max_digits=digits, decimal_places=places, localize=False
        )
        text = self.given(lookup)
        try:
            # An exponent would let a short text be a number of any length.
            if len(text) > _LONGEST or "e" in text.lower():
                raise IncorrectLookupParameters
            number: Decimal = field.clean(text)
        except ValidationError as wrong:
            raise IncorrectLookupParameters from wrong
        return number

    def chip_text(self, changelist: ChangeList) -> str:
        """Return the range in words."""
        least = getattr(self.field, "least_places", 0)
        first, last = (
            number_in_words(self._number(one), least) if self.given(one) else ""
            for one in self.lookups
        )
        words = {"first": first, "last": last}
        if first and last:
            return _("%(first)s to %(last)s") % words
        if first:
            return _("from %(first)s") % words
        return _("to %(last)s") % words if last else ""


def _day(text: str) -> date | None:
    """Return the day that a text is, None if it is something else."""
    return _parsed(parse_date, text)


def _moment(text: str) -> datetime:
    """Return the time that a text is; raise IncorrectLookupParameters if it is none."""
    moment = _parsed(parse_datetime, text)
    if moment is None:
        raise IncorrectLookupParameters
    return moment if timezone.is_aware(moment) else timezone.make_aware(moment)


def _parsed(parse: Callable[[str], _Day | None], text: str) -> _Day | None:
    try:
        day = parse(text) if len(text) <= _LONGEST else None
    except ValueError as wrong:
        raise IncorrectLookupParameters from wrong
    # Beside the calendar's first and last year another zone or the next day is none.
    if day is not None and not date.min.year < day.year < date.max.year:
        raise IncorrectLookupParameters
    return day


def _shown(day: str) -> str:
    return date_format(date.fromisoformat(day), "SHORT_DATE_FORMAT") if day else ""


def _is_plain_number(field: Any) -> bool:
    kinds = (models.DecimalField, models.IntegerField)
    return isinstance(field, kinds) and not (field.choices or field.is_relation)


admin.FieldListFilter.register(
    lambda field: isinstance(field, models.DateField),
    DateRangeFilter,
    take_priority=True,
)
admin.FieldListFilter.register(_is_plain_number, NumberRangeFilter, take_priority=True)
