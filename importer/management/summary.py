"""The summary printed at the end of a run."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol

from importer.management.package_place import place_of
from importer.package.printable_text import printable
from importer.package.shapes import Severity
from importer.package.wire_values import short
from importer.pipeline.causes import Cause, counted
from importer.pipeline.report import Report
from importer.runs.cause_groups import CauseGroup, grouped

_FIRST = 10


class Out(Protocol):
    """A stream that text can be written to."""

    def write(self, text: str, /) -> Any:
        """Write a text."""


def print_summary(
    report: Report,
    out: Out,
    *,
    report_file: str | None,
    seconds: float,
    package_file: str = "",
) -> None:
    """Print counts, the first errors, where to find the rest, and the duration.

    The places of errors are in ``package_file``, if it is given.
    """
    for outcome, count in report.counts.items():
        if count:
            out.write(f"{outcome:<20}{count:>12,}\n")
    if report.problems:
        out.write("\nErrors:\n")
        print_errors(report, out, report_file=report_file, package_file=package_file)
    notes = [d for d in report.diagnostics if d.severity is not Severity.ERROR]
    for note in notes[:_FIRST]:
        _print(out, f"{note.severity}: {note.message}")
    _tell_of_more(len(notes), "notes", out, report_file)
    out.write(f"\n{ending(report)} {_pace(len(report.items), seconds)}\n")


def print_errors(
    report: Report, out: Out, *, report_file: str | None, package_file: str
) -> None:
    """Print the first errors, each with its place, the values and what to do."""
    groups = grouped(report.problems)
    for group in groups[:_FIRST]:
        for line in _lines(group, package_file):
            _print(out, line)
    _tell_of_more(len(groups), "errors", out, report_file)


def _print(out: Out, line: str) -> None:
    """Print one line; a line break in a quoted text doesn't begin another."""
    out.write(f"{printable(line)}\n")


def _lines(group: CauseGroup, file: str) -> Iterator[str]:
    """Yield the lines of a cause group: place, message, values, dependants and
    remedy."""
    place = place_of(group.leading.first, file)
    before = f"{place}: " if place else ""
    if group.is_single:
        yield f"{before}{counted(group.message, group.leading.count)}"
    else:
        objects = f" (in {_objects(group)})" if group.counts_objects else ""
        yield f"{before}{group.message}{objects}"
        values = ", ".join(map(_value, group.first_causes))
        more = f" and {group.more:,} more" if group.more else ""
        yield f"    {values}{more}"
    if group.waiting:
        objects = "more object fails" if group.waiting == 1 else "more objects fail"
        least = "At least " if group.waiting_at_least else ""
        yield (
            f"    {least}{group.waiting:,} {objects} only by referring to what failed."
        )
    if group.remedy:
        yield f"    {group.remedy}"


def _objects(group: CauseGroup) -> str:
    least = "at least " if group.refused_at_least else ""
    return f"{least}{group.refused:,} {'object' if group.refused == 1 else 'objects'}"


def _value(cause: Cause) -> str:
    owner = cause.owner
    row = f" ({owner.name})" if owner and owner.name else ""
    return f"{short(cause.value)}{row}"


def _tell_of_more(count: int, what: str, out: Out, report_file: str | None) -> None:
    if count > _FIRST:
        where = f"in {report_file}" if report_file else "with --report FILE"
        more = count - _FIRST
        out.write(f"  … and {more:,} more {what}; the whole report is {where}.\n")


def ending(report: Report) -> str:
    """Return how a run ended."""
    what = "Dry run" if report.dry_run else "Run"
    endings = {
        "Completed": "finished",
        "Failed": "stopped at an error",
        "Interrupted": "was interrupted; start it again to continue",
    }
    written = " Nothing was written." if report.dry_run else ""
    return f"{what} {report.run_id} {endings[report.status]}.{written}"


def _pace(objects: int, seconds: float) -> str:
    if not objects or seconds <= 0:
        return f"It took {seconds:.1f} s."
    return f"It took {seconds:.1f} s: {objects / seconds:,.0f} objects a second."
