"""The report of a run as a streamed file: JSON for programs, CSV for tables."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from django.http import StreamingHttpResponse
from django.utils.text import slugify

from importer import services
from importer.api.responses import with_report
from importer.csv_files import BYTE_ORDER_MARK, CSV_CONTENT_TYPE, csv_pieces
from importer.models import ImportRun
from importer.package import paths
from importer.package.item_result import ItemResult

_COLUMNS = (
    "id",
    "path",
    "target",
    "outcome",
    "message",
    "rowId",
    "changes",
    "differences",
    "conflicts",
    "name",
    "line",
    "keptBy",
    "keptAt",
)


def download(run: ImportRun, kind: str, wanted: dict[str, Any]) -> Any:
    """Return a response with the entries of a report as ``json`` or ``csv``."""
    entries = services.report_entries(run.run_id, **wanted)
    if kind == "csv":
        body, content_type = as_csv(entries), CSV_CONTENT_TYPE
    else:
        body, content_type = with_report(run, entries), "application/json"
    what = "dry-run" if run.dry_run else "import"
    package = slugify(run.package) or "package"
    name = f"{what}-{package}-{run.run_id}.{kind}"
    answer = StreamingHttpResponse(body, content_type=content_type)
    answer["Content-Disposition"] = f'attachment; filename="{name}"'
    return answer


def as_csv(entries: Iterable[ItemResult]) -> Iterator[bytes]:
    """Yield entries as CSV, with the byte order mark that Excel needs."""
    yield BYTE_ORDER_MARK
    yield from csv_pieces(_COLUMNS, map(_row, entries))


def _row(entry: ItemResult) -> Iterator[str]:
    yield entry.id
    yield paths.item_path(entry.step, entry.index)
    yield entry.target
    yield entry.outcome.value
    yield entry.message
    yield "" if entry.row_id is None else str(entry.row_id)
    for changes in (entry.changes, entry.differences, entry.conflicts):
        yield json.dumps(changes, ensure_ascii=False) if changes else ""
    yield entry.name
    yield "" if entry.line is None else str(entry.line)
    yield entry.kept.by or "" if entry.kept else ""
    yield entry.kept.at.isoformat() if entry.kept and entry.kept.at else ""
