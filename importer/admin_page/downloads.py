"""The report of a run as a file, piece by piece: JSON for programs, CSV for tables."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator
from typing import Any

from django.http import StreamingHttpResponse
from django.utils.text import slugify

from importer import services
from importer.api.responses import with_report
from importer.models import ImportRun
from importer.package import paths
from importer.package.shapes import ItemResult

_COLUMNS = (
    "id",
    "path",
    "target",
    "outcome",
    "message",
    "rowId",
    "changes",
    "differences",
)
# What a spreadsheet takes for the beginning of a formula.
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")
_AT_ONCE = 500


def download(run: ImportRun, kind: str, narrowing: dict[str, Any]) -> Any:
    """Answer with the entries of a report as a file, ``json`` or ``csv``."""
    entries = services.report_entries(run.run_id, **narrowing)
    if kind == "csv":
        body, content_type = as_csv(entries), "text/csv; charset=utf-8"
    else:
        body, content_type = with_report(run, entries), "application/json"
    what = "dry-run" if run.dry_run else "import"
    package = slugify(run.package) or "package"
    name = f"{what}-{package}-{run.run_id}.{kind}"
    answer = StreamingHttpResponse(body, content_type=content_type)
    answer["Content-Disposition"] = f'attachment; filename="{name}"'
    return answer


def as_csv(entries: Iterable[ItemResult]) -> Iterator[bytes]:
    """Write entries as CSV in UTF-8, with the mark at its beginning Excel looks for."""
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(_COLUMNS)
    yield b"\xef\xbb\xbf"
    for number, entry in enumerate(entries, 1):
        writer.writerow([_harmless(value) for value in _row(entry)])
        if number % _AT_ONCE == 0:
            yield _taken(text)
    yield _taken(text)


def _taken(text: io.StringIO) -> bytes:
    piece = text.getvalue().encode()
    text.seek(0)
    text.truncate()
    return piece


def _row(entry: ItemResult) -> Iterator[str]:
    yield entry.id
    yield paths.item_path(entry.step, entry.index)
    yield entry.target
    yield entry.outcome.value
    yield entry.message
    yield "" if entry.row_id is None else str(entry.row_id)
    for told in (entry.changes, entry.differences):
        yield json.dumps(told, ensure_ascii=False) if told else ""


def _harmless(value: str) -> str:
    """Keep a spreadsheet from taking a text for a formula."""
    return f"'{value}" if value.startswith(_FORMULA) else value
