"""What the page of a report shows of its rows: columns, totals, plots and files.

The rows themselves come from the same functions as those of the API.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any, ClassVar

from rest_framework import serializers

from catalogs.models import Currency
from documents.amounts import rounded_in
from documents.reports.cache import results
from platform_site.plots import Number, Plot
from platform_site.records.tables import Column

ZERO = Decimal(0)


@dataclass(frozen=True, slots=True)
class Heading:
    """A column of the page: its title, the value that sorts it, and whether it has
    numbers."""

    title: Any
    sort: str = ""
    is_number: bool = False


@dataclass(frozen=True, slots=True)
class ReportCell:
    """A cell of the page, with a link to what is behind it."""

    text: str
    link: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class TotalsTable:
    """The totals of all rows; the first columns have texts, the others numbers."""

    headings: Sequence[str]
    texts: int
    lines: Sequence[Sequence[str]]

    @property
    def rows(self) -> list[list[tuple[str, str]]]:
        """Return the cells of each row with their headings."""
        return [[*zip(self.headings, line, strict=True)] for line in self.lines]


class ReportTable:
    """The rows of a report on its page, and in its files."""

    headings: ClassVar[tuple[Heading, ...]]
    # The names and types of the columns of a file.
    fields: ClassVar[dict[str, type[Any]]]

    def __init__(
        self,
        rows: Sequence[Any],
        as_of: datetime | None,
        kept: Mapping[str, str],
        question: tuple[Any, ...],
    ) -> None:
        """Take the rows of a report, the parameters that other links keep, and the
        question, by which what is computed from all rows is cached like them."""
        self.rows = rows
        self.as_of = as_of
        self.kept = kept
        self.question = question

    def cached(self, make: Callable[[], Any]) -> Any:
        """Return what a method computes from all rows."""
        return results.result((make.__qualname__, *self.question), make)

    def cells(self, rows: Sequence[Any]) -> list[list[ReportCell]]:
        """Return the cells of some rows, with a few queries for all of them."""
        raise NotImplementedError(f"{type(self).__name__} has no cells.")

    def totals(self) -> TotalsTable:
        """Return the totals by currency."""
        raise NotImplementedError(f"{type(self).__name__} has no totals.")

    def plots(self) -> Iterator[Plot]:
        """Yield the plots of the rows."""
        raise NotImplementedError(f"{type(self).__name__} has no plots.")

    def lines(self) -> Iterator[list[Any]]:
        """Yield the cells of all rows for a file."""
        raise NotImplementedError(f"{type(self).__name__} has no files.")

    def sorted_by(self, order: str) -> Sequence[Any]:
        """Return the rows in an order, ``-`` before a name reverses it; rows that are
        equal, and all with an unknown order, stay in the order of the report."""
        name = order.removeprefix("-")
        if not name or name not in {heading.sort for heading in self.headings}:
            return self.rows
        value_of = self.sort_value(name)
        return sorted(self.rows, key=value_of, reverse=order.startswith("-"))

    def sort_value(self, name: str) -> Callable[[Any], Any]:
        """Return the function for the value by which a column sorts."""

        def value_of(row: Any) -> Any:
            value = getattr(row, name)
            return (value is not None, value if value is not None else "")

        return value_of

    @classmethod
    def columns(cls) -> list[Column]:
        """Return the columns of a file."""
        amount = serializers.DecimalField(max_digits=32, decimal_places=4)
        made: dict[type[Any], Any] = {
            int: serializers.IntegerField(),
            str: serializers.CharField(),
            Decimal: amount,
        }
        return [Column(name, name, made[kind]) for name, kind in cls.fields.items()]


def currencies(keys: Iterable[int | None]) -> dict[int | None, Currency]:
    """Return currencies by their keys."""
    found = Currency._base_manager.in_bulk(sorted({key for key in keys if key}))
    return {**found}


def names_of(model: type[Any], keys: Iterable[int | None]) -> dict[int | None, str]:
    """Return the names of rows by their keys."""
    asked = sorted({key for key in keys if key})
    rows = model._base_manager.filter(pk__one_of=asked)
    return dict(rows.values_list("pk", "name"))


def sums_by(
    rows: Iterable[Any], key_of: Callable[[Any], Any], *columns: str
) -> dict[Any, list[Decimal]]:
    """Return the number of rows and the sums of columns, by a key of the rows."""
    found: dict[Any, list[Decimal]] = {}
    for row in rows:
        sums = found.setdefault(key_of(row), [ZERO] * (len(columns) + 1))
        sums[0] += 1
        for place, name in enumerate(columns, 1):
            sums[place] += getattr(row, name)
    return found


def code_of(currency: Currency | None) -> str:
    """Return the code of a currency, empty if it isn't known."""
    return "" if currency is None else currency.code


def shown_in(currency: Currency) -> Callable[[Number], str]:
    """Return the format of the amounts of a plot, rounded to the currency's digits."""

    def shown(value: Number) -> str:
        return rounded_in(Decimal(value), currency)

    return shown
