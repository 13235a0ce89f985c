"""What went wrong in a run, for somebody who gave a table and not a package: each
failure with the line and the column of that table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Final

from django.utils.translation import gettext as _

from importer import Outcome, paths
from importer.services import Report

MOST_TOLD: Final = 50
_Place = tuple[int, int]
# Before every object: what is wrong with the package as a whole.
_WHOLE: Final[_Place] = (-1, -1)


@dataclass(frozen=True, slots=True)
class TablePlaces:
    """Where the objects of a package are in the table it was made from.

    The objects are those of one step, in its order: `lines` has the line of each, and
    `columns` the column that gave a property.
    """

    lines: Sequence[int] = ()
    columns: Mapping[str, str] = field(default_factory=dict)

    def failure(self, index: int, path: str, sentence: str) -> RowFailure:
        """Return what is wrong at a path inside an object, at its place in the table."""
        name = path.partition(".")[0].partition("[")[0]
        column = self.columns.get(name)
        if column is None and path:
            sentence = f"{path}: {sentence}"
        return RowFailure(self.lines[index], column, sentence)

    def order(self, failure: RowFailure) -> tuple[int, int]:
        """Return where a failure comes when a table is read from left to right."""
        columns = [None, *dict.fromkeys(self.columns.values())]
        return failure.line or 0, columns.index(failure.column)


@dataclass(frozen=True, slots=True)
class RowFailure:
    """One thing that went wrong, at a line and a column where it has them."""

    line: int | None
    column: str | None
    message: str

    def __str__(self) -> str:
        if self.line is None:
            return self.message
        told = {"line": self.line, "column": self.column, "message": self.message}
        if self.column is None:
            return _("line %(line)s: %(message)s") % told
        return _("line %(line)s, %(column)s: %(message)s") % told


@dataclass(frozen=True, slots=True)
class Failures:
    """The first failures of a run, and how many more objects failed than are told."""

    told: list[RowFailure]
    further: int

    @property
    def first(self) -> str:
        """Return the first failure as a sentence, empty where there is none."""
        return str(self.told[0]) if self.told else ""

    def wire(self) -> list[dict[str, Any]]:
        """Return them as values of a result."""
        return [
            {"line": one.line, "column": one.column, "message": one.message}
            for one in self.told
        ]


def failures_of(report: Report, places: TablePlaces | None = None) -> Failures:
    """Return what went wrong, in the order of the file: everything of the first objects
    that failed. Without a table a message keeps its path in the package."""
    whole = [
        problem.told
        for problem in report.problems
        if paths.of_item(problem.first.path) is None
    ]
    errors: dict[_Place, list[str]] = {_WHOLE: whole} if whole else {}
    for result in islice(report.items.with_outcome(Outcome.FAILED), MOST_TOLD):
        errors[result.step or 0, result.index or 0] = paths.messages_of(result.message)
    shown = sorted(errors)[:MOST_TOLD]
    told = [one for place in shown for one in _told(errors[place], places)]
    if places is not None:
        told.sort(key=places.order)
    most = report.counts[Outcome.FAILED]
    return Failures(told, max(0, most - len([p for p in shown if p != _WHOLE])))


def _told(messages: list[str], places: TablePlaces | None) -> Iterator[RowFailure]:
    for message in messages:
        # The text of an error begins with its path (IMP-130).
        path, _colon, sentence = message.partition(": ")
        item = paths.of_item(path)
        if places is None or item is None:
            yield RowFailure(None, None, message)
        else:
            _step, index, inner = item
            yield places.failure(index, inner, sentence)
