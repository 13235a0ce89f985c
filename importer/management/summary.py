"""The summary printed at the end of a run, and its report as JSON."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any, Protocol

import msgspec

from importer.package.shapes import Severity
from importer.package.wire_values import short
from importer.pipeline.causes import Cause
from importer.pipeline.report import Report
from importer.runs.cause_groups import CauseGroup, grouped

_FIRST = 10
_PER_WRITE = 1000


class Out(Protocol):
    """A stream that text can be written to."""

    def write(self, text: str, /) -> Any:
        """Write a text."""


def print_summary(
    report: Report, out: Out, *, report_file: str | None, seconds: float
) -> None:
    """Print counts, the first errors, where to find the rest, and the duration."""
    for outcome, count in report.counts.items():
        if count:
            out.write(f"{outcome:<20}{count:>12,}\n")
    if report.problems:
        out.write("\nErrors:\n")
        groups = grouped(report.problems)
        for group in groups[:_FIRST]:
            out.write("".join(f"{line}\n" for line in _lines(group)))
        _tell_of_more(len(groups), "errors", out, report_file)
    notes = [d for d in report.diagnostics if d.severity is not Severity.ERROR]
    for note in notes[:_FIRST]:
        out.write(f"{note.severity}: {note.message}\n")
    _tell_of_more(len(notes), "notes", out, report_file)
    out.write(f"\n{_ending(report)} {_pace(len(report.items), seconds)}\n")


def _lines(group: CauseGroup) -> Iterator[str]:
    """Yield the lines of a cause group: message, place, values, dependants and
    remedy."""
    first = group.leading.first
    # In a file with one line the line number doesn't help.
    line = f" [line {first.line:,}]" if (first.line or 0) > 1 else ""
    if group.is_single:
        yield f"  {group.leading.sentence}{line}"
    else:
        objects = f" (in {_objects(group)})" if group.counts_objects else ""
        yield f"  {first.path}: {group.message}{objects}{line}"
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


def _ending(report: Report) -> str:
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


def print_rows(report: Report, outcome: str, out: Out) -> None:
    """Print the first rows with an outcome, each with its message."""
    found = list(islice(report.items.with_outcome(outcome), _FIRST + 1))
    for one in found[:_FIRST]:
        out.write(f"{one.target} {one.id or one.row_id}: {one.message}\n")
    more = report.counts.get(outcome, 0) - _FIRST
    if more > 0:
        out.write(f"  … and {more:,} more; --format json has them all.\n")
    if found:
        out.write("\n")


def report_as_json(report: Report, out: Out) -> None:
    """Write the report in the form of the API, a thousand objects at a time."""
    encode = msgspec.json.Encoder().encode
    # Each text ends with a line break, since a command's output would add one.
    out.write("{\n")
    for name, value in (
        ("runId", str(report.run_id)),
        ("status", report.status),
        ("dryRun", report.dry_run),
        ("counts", report.counts),
        ("hasErrors", report.has_errors),
        ("problems", report.problems),
        ("diagnostics", report.diagnostics),
    ):
        out.write(f'"{name}": {encode(value).decode()},\n')
    out.write('"items": [\n')
    results, behind = iter(report.items), ""
    while batch := list(islice(results, _PER_WRITE)):
        for result in batch:
            out.write(f"{behind}{encode(result.wire()).decode()}\n")
            behind = ","
    out.write("]}\n")
