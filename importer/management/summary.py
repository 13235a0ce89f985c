"""Print the end of a run for people, or its whole report as JSON."""

from __future__ import annotations

from itertools import islice
from typing import Any, Protocol

import msgspec

from importer.package.shapes import Outcome, Severity
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
    listed = [d.message for d in report.diagnostics if d.severity is Severity.ERROR]
    count = len(listed) or report.counts[Outcome.FAILED]
    failed = (result.message for result in report.items.with_outcome(Outcome.FAILED))
    messages = listed or list(islice(failed, _FIRST))
    if messages:
        out.write("\nErrors:\n")
        for message in messages[:_FIRST]:
            out.write(f"  {message}\n")
        if count > _FIRST:
            where = f"in {report_file}" if report_file else "with --report FILE"
            out.write(
                f"  … and {count - _FIRST:,} more; the whole report is {where}.\n"
            )
    for diagnostic in report.diagnostics:
        if diagnostic.severity is not Severity.ERROR:
            out.write(f"{diagnostic.severity}: {diagnostic.message}\n")
    out.write(f"\n{_ending(report)} {_pace(len(report.items), seconds)}\n")


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
        ("diagnostics", report.diagnostics),
    ):
        out.write(f'"{name}": {encode(value).decode()},\n')
    out.write('"items": [\n')
    results, behind = iter(report.items), ""
    while batch := list(islice(results, _PER_WRITE)):
        for result in batch:
            wire = msgspec.to_builtins(result)
            wire["rowId"] = wire.pop("row_id")
            out.write(f"{behind}{encode(wire).decode()}\n")
            behind = ","
    out.write("]}\n")
