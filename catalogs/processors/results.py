"""What the importing processors answer: the counts of the run in five numbers and the
first thing that went wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.utils.translation import gettext_lazy as _
from rest_framework import serializers

from importer.package.shapes import Outcome, Severity
from platform_site.processing.values import IntegerField, TextField, Values

if TYPE_CHECKING:
    from importer.services import Report


class ImportResult(Values):
    """Tell what a run did (IMP-171 to IMP-177)."""

    hidden = ("run_id",)

    run_id = serializers.UUIDField(allow_null=True)
    inserted = IntegerField(label=_("Inserted"))
    updated = IntegerField(label=_("Updated"))
    unchanged = IntegerField(label=_("Unchanged"))
    skipped = IntegerField(label=_("Skipped"))
    failed = IntegerField(label=_("Failed"))
    message = TextField(label=_("Message"))


def result_of(report: Report) -> dict[str, Any]:
    """Return the answer for the report of a run."""
    count = report.counts
    return {
        "run_id": report.run_id,
        "inserted": count[Outcome.INSERTED] + count[Outcome.ADOPTED],
        "updated": count[Outcome.UPDATED] + count[Outcome.RESTORED],
        "unchanged": count[Outcome.UNCHANGED],
        "skipped": count[Outcome.SKIPPED_USER_MODIFIED]
        + count[Outcome.SKIPPED_DRIFT]
        + count[Outcome.SKIPPED_DELETED],
        "failed": count[Outcome.FAILED],
        "message": _first_trouble(report),
    }


def nothing_done(message: str) -> dict[str, Any]:
    """Return the answer where there was nothing to run."""
    names = ("inserted", "updated", "unchanged", "skipped", "failed")
    return {"run_id": None, **dict.fromkeys(names, 0), "message": message}


def _first_trouble(report: Report) -> str:
    """Return the first error of the package, else of an object, else nothing."""
    for diagnostic in report.diagnostics:
        if diagnostic.severity is Severity.ERROR:
            return diagnostic.message
    if report.counts[Outcome.FAILED]:
        return next(r.message for r in report.items if r.outcome is Outcome.FAILED)
    return ""
