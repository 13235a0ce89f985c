"""The result of the importing processors: counts, failures, and the run with the full
report."""

from __future__ import annotations

from typing import Any, ClassVar

from django.utils.translation import gettext_lazy as _

from catalogs.processors.failures import TablePlaces, failures_of
from importer import Outcome
from importer.services import Report
from platform_site.processing.values import (
    IntegerField,
    RunField,
    TextField,
    Values,
)


class ImportFailure(Values):
    """A failure; without a table it has neither line nor column."""

    line = IntegerField(label=_("Line"), allow_null=True)
    column = TextField(label=_("Column"), allow_null=True)
    message = TextField(label=_("Message"))


class ImportResult(Values):
    """The result of an import (IMP-171 to IMP-177)."""

    beyond: ClassVar = {"failures": "failures_not_listed"}
    changes: ClassVar = ("inserted", "updated", "failed", "failures")

    run_id = RunField(label=_("Report"), allow_null=True)
    inserted = IntegerField(label=_("Inserted"))
    updated = IntegerField(label=_("Updated"))
    unchanged = IntegerField(label=_("Unchanged"))
    skipped = IntegerField(label=_("Skipped"))
    failed = IntegerField(label=_("Failed"))
    message = TextField(label=_("Message"))
    failures = ImportFailure(label=_("What failed"), many=True)
    failures_not_listed = IntegerField()


def result_of(report: Report, places: TablePlaces | None = None) -> dict[str, Any]:
    """Return the result for the report of a run; `places` if its package was a
    table."""
    count = report.counts
    failures = failures_of(report, places)
    causes = [] if places is not None else report.problems[:1]
    return {
        "run_id": report.run_id,
        "inserted": count[Outcome.INSERTED] + count[Outcome.ADOPTED],
        "updated": count[Outcome.UPDATED] + count[Outcome.RESTORED],
        "unchanged": count[Outcome.UNCHANGED],
        "skipped": count[Outcome.SKIPPED_USER_MODIFIED]
        + count[Outcome.SKIPPED_DRIFT]
        + count[Outcome.SKIPPED_DELETED],
        "failed": count[Outcome.FAILED],
        # For a table the first failure helps most, for a package the cause with the
        # most dependants (IMP-177).
        "message": causes[0].sentence if causes else failures.first,
        "failures": failures.wire(),
        "failures_not_listed": failures.further,
    }


def nothing_done(message: str) -> dict[str, Any]:
    """Return the result if there was nothing to run."""
    names = ("inserted", "updated", "unchanged", "skipped", "failed")
    numbers = dict.fromkeys((*names, "failures_not_listed"), 0)
    return {"run_id": None, **numbers, "message": message, "failures": []}
