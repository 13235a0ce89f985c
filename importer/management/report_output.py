"""The report of a run as JSON, in the form of the API, written in windows."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

import msgspec

from importer.management.listing import windows
from importer.management.summary import Out
from importer.pipeline.report import Report

_encode = msgspec.json.Encoder().encode


def write_json(report: Report, outcomes: Collection[str], out: Out) -> None:
    """Write the report as one object, with the entries that have these outcomes."""
    # Each text ends with a line break, since a command's output would add one.
    out.write("{\n")
    for name, value in _summary(report):
        out.write(f'"{name}": {_text(value)},\n')
    out.write('"items": [\n')
    behind = ""
    for entries in windows(report.items, outcomes):
        text = "\n,".join(_text(entry.wire()) for entry in entries)
        out.write(f"{behind}{text}\n")
        behind = ","
    out.write("]}\n")


def write_json_lines(report: Report, outcomes: Collection[str], out: Out) -> None:
    """Write a line for each entry with these outcomes, and a last one for the run."""
    for entries in windows(report.items, outcomes):
        out.write("".join(f"{_text(entry.wire())}\n" for entry in entries))
    out.write(f"{_text(dict(_summary(report)))}\n")


def _summary(report: Report) -> Iterator[tuple[str, Any]]:
    yield "runId", str(report.run_id)
    yield "status", report.status
    yield "dryRun", report.dry_run
    yield "counts", report.counts
    yield "hasErrors", report.has_errors
    yield "problems", report.problems
    yield "diagnostics", report.diagnostics


def _text(value: Any) -> str:
    return _encode(value).decode()
