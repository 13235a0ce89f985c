"""The failures of a run whose package was made from a table: each with its line and
column in that table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Final

from django.utils.translation import gettext as _

from importer import Outcome, paths
from importer.services import Report

MAX_LISTED: Final = 50
_Place = tuple[int, int]
# Problems of the whole package come before those of objects.
_WHOLE: Final[_Place] = (-1, -1)


@dataclass(frozen=True, slots=True)
class TablePlaces:
    """The places in a table of the objects of a package made from it.

    The objects are those of one step, in its order: `lines` has the line of each, and
    `columns` the column of each property.
    """

    lines: Sequence[int] = ()
    columns: Mapping[str, str] = field(default_factory=dict)

    def failure(self, index: int, path: str, sentence: str) -> RowFailure:
        """Return the failure at a path inside an object, with its place in the
        table."""
        name = path.partition(".")[0].partition("[")[0]
        column = self.columns.get(name)
        if column is None and path:
            sentence = f"{path}: {sentence}"
        return RowFailure(self.lines[index], column, sentence)

    def order(self, failure: RowFailure) -> tuple[int, int]:
        """Return the sort key of a failure: by line, then by column."""
        columns = [None, *dict.fromkeys(self.columns.values())]
        return failure.line or 0, columns.index(failure.column)


@dataclass(frozen=True, slots=True)
class RowFailure:
    """A failure, with line and column if it has them."""

    line: int | None
    column: str | None
    message: str

    def __str__(self) -> str:
        if self.line is None:
            return self.message
        values = {"line": self.line, "column": self.column, "message": self.message}
        if self.column is None:
            return _("line %(line)s: %(message)s") % values
        return _("line %(line)s, %(column)s: %(message)s") % values


@dataclass(frozen=True, slots=True)
class Failures:
    """The first failures of a run, and the number of failed objects that aren't
    listed."""

    listed: list[RowFailure]
    further: int

    @property
    def first(self) -> str:
        """Return the first failure as a sentence, empty if there is none."""
        return str(self.listed[0]) if self.listed else ""

    def wire(self) -> list[dict[str, Any]]:
        """Return the failures as values of a result."""
        return [
            {"line": one.line, "column": one.column, "message": one.message}
            for one in self.listed
        ]


def failures_of(report: Report, places: TablePlaces | None = None) -> Failures:
    """Return the failures in the order of the file: all those of the first failed
    objects. Without a table a message keeps its path in the package."""
    whole = [
        problem.sentence
        for problem in report.problems
        if paths.of_item(problem.first.path) is None
    ]
    errors: dict[_Place, list[str]] = {_WHOLE: whole} if whole else {}
    for result in islice(report.items.with_outcome(Outcome.FAILED), MAX_LISTED):
        errors[result.step or 0, result.index or 0] = paths.messages_of(result.message)
    shown = sorted(errors)[:MAX_LISTED]
    listed = [one for place in shown for one in _row_failures(errors[place], places)]
    if places is not None:
        listed.sort(key=places.order)
    most = report.counts[Outcome.FAILED]
    return Failures(listed, max(0, most - len([p for p in shown if p != _WHOLE])))


def _row_failures(
    messages: list[str], places: TablePlaces | None
) -> Iterator[RowFailure]:
    for message in messages:
        # An error text starts with its path (IMP-130).
        path, _colon, sentence = message.partition(": ")
        item = paths.of_item(path)
        if places is None or item is None:
            yield RowFailure(None, None, message)
        else:
            _step, index, inner = item
            yield places.failure(index, inner, sentence)
