"""Examples of requests and responses for the interactive documentation."""

from __future__ import annotations

from drf_spectacular.utils import OpenApiExample

from importer.api.uploads import PACKAGE
from importer.package.shapes import FORMAT
from importer.pipeline.report import no_counts

_ID = "0b8f4d2e-6a34-4d0c-9c59-6a1f6f2f7f11"
_RUN = {
    "runId": _ID,
    "package": "price-list",
    "version": 4,
    "origin": "import",
    "status": "Completed",
    "position": None,
    "dryRun": False,
    "kind": "package",
    "basedOn": None,
    "continueOnError": False,
    "startedBy": "admin",
    "startedAt": "2026-03-02T08:15:00Z",
    "finishedAt": "2026-03-02T08:15:02Z",
    "hasErrors": False,
    "counts": {**no_counts(), "Unchanged": 1513, "Updated": 1},
    "progress": {"done": 1514, "total": 1514},
}
_ENTRY = {
    "id": "item:A-100",
    "name": "A-100 Garden spade",
    "line": 7012,
    "step": 3,
    "index": 12,
    "target": "Items",
    "outcome": "Updated",
    "message": "",
    "rowId": 112,
    "changes": {"price": ["12.3400", "12.9000"]},
    "differences": None,
    "conflicts": None,
    "kept": None,
}
RUN_EMBEDDED = OpenApiExample(
    "A dry run of an embedded package",
    {"package": "demo-company", "dryRun": True},
    request_only=True,
    media_type="application/json",
)
RUN_PACKAGE = OpenApiExample(
    "A package as the body",
    {
        "format": FORMAT,
        "package": "price-list",
        "version": 1,
        "steps": [
            {
                "dictionary": "UnitsOfMeasure",
                "items": [{"$id": "unit:box", "code": "box", "name": "Box"}],
            }
        ],
    },
    request_only=True,
    media_type=PACKAGE,
)
DECIDE = OpenApiExample(
    "Take the package's values of two rows",
    {"items": ["item:A-100", "item:A-200"], "take": "package"},
    request_only=True,
)
DECIDED = OpenApiExample(
    "Rows that keep their own values",
    {"decided": 2},
    response_only=True,
    status_codes=["200"],
)
UNDO = OpenApiExample("A dry run of an undo", {"dryRun": True}, request_only=True)
STARTED = OpenApiExample(
    "The run", {"runId": _ID}, response_only=True, status_codes=["202"]
)
RUNS = OpenApiExample("A run of the history", _RUN, response_only=True)
RUNNING = OpenApiExample(
    "A run in progress",
    {
        **_RUN,
        "status": "Running",
        "finishedAt": None,
        "counts": {**no_counts(), "Unchanged": 1000},
        "progress": {"done": 1000, "total": 1514},
        "report": None,
    },
    response_only=True,
)
ENDED = OpenApiExample(
    "A run that has ended, with ?outcome=Updated",
    {
        **_RUN,
        "report": {
            "runId": _ID,
            "counts": _RUN["counts"],
            "items": [_ENTRY],
            "problems": [],
            "diagnostics": [],
            "hasErrors": False,
        },
    },
    response_only=True,
)
PACKAGES = OpenApiExample(
    "A package with an update",
    {
        "package": "demo-company",
        "version": 3,
        "origin": "demoSeed",
        "configuration": "Trade",
        "appliedVersion": 2,
        "appliedAt": "2026-03-02T08:15:02Z",
        "error": None,
    },
    response_only=True,
)
