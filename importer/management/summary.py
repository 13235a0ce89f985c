"""Print the end of a run for people, or its whole report as JSON."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any, Protocol

import msgspec

from importer.package.shapes import Severity
from importer.pipeline.causes import Cause
from importer.services import Report

_FIRST = 10
_PER_WRITE = 1000


class Out(Protocol):
    """Somewhere to write text."""

    def write(self, text: str, /) -> Any:
        """Write a text."""


def print_summary(
    report: Report, out: Out, *, report_file: str | None, seconds: float
) -> None:
    """Print counts, the first errors, where to read on, and how long it took."""
    for outcome, count in report.counts.items():
        if count:
            out.write(f"{outcome:<20}{count:>12,}\n")
    if report.problems:
        out.write("\nErrors:\n")
        for cause in report.problems[:_FIRST]:
            out.write("".join(f"{line}\n" for line in _told(cause)))
        _tell_of_more(len(report.problems), "errors", out, report_file)
    notes = [d for d in report.diagnostics if d.severity is not Severity.ERROR]
    for note in notes[:_FIRST]:
        out.write(f"{note.severity}: {note.message}\n")
    _tell_of_more(len(notes), "notes", out, report_file)
    out.write(f"\n{_ending(report)} {_pace(len(report.items), seconds)}\n")


def _told(cause: Cause) -> Iterator[str]:
    """Yield what is wrong and where, then what waits for it and what helps."""
    line = f" [line {cause.first.line:,}]" if cause.first.line else ""
    yield f"  {cause.told}{line}"
    if cause.dependants:
        objects = "object fails" if cause.dependants == 1 else "objects fail"
        yield (
            f"    {cause.dependants:,} more {objects} only by referring to what failed."
        )
    if cause.remedy:
        yield f"    {cause.remedy}"


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


def report_as_json(report: Report, out: Out) -> None:
    """Write the report as the API gives it, a thousand objects at a time."""
    encode = msgspec.json.Encoder().encode
    # Every text ends its line: a command's output adds a line end where none is.
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
