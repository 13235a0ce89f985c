"""The responses of the endpoints: runs, packages and reports in camelCase (OPEN-36,
37)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import msgspec
from rest_framework import serializers

from importer.api.entries import ImportEntrySerializer
from importer.api.fields import PositionField, RowKeyField
from importer.models import ImportRun
from importer.package.item_result import ItemResult
from importer.package.shapes import Origin, Outcome, Severity
from importer.package.undo_results import UndoOutcome
from importer.services import ListedPackage, counts_of, problems_of

_PER_PIECE = 1000
_WIRE_ORIGIN = {origin.stored: origin.value for origin in Origin}
_encode = msgspec.json.Encoder(decimal_format="string").encode


class StartedRunSerializer(serializers.Serializer[Any]):
    """A run that was started or asked to stop."""

    runId = serializers.UUIDField()


class ImportPackageSerializer(serializers.Serializer[ListedPackage]):
    """An embedded package."""

    package = serializers.CharField(source="embedded.package")
    version = serializers.IntegerField(source="embedded.version", allow_null=True)
    origin = serializers.SerializerMethodField()
    configuration = serializers.SerializerMethodField()
    appliedVersion = serializers.IntegerField(
        source="applied_version",
        allow_null=True,
        help_text="Version applied in the last run without errors.",
    )
    appliedAt = serializers.DateTimeField(source="applied_at", allow_null=True)
    error = serializers.SerializerMethodField(
        help_text="Why the package can't be read."
    )

    def get_origin(self, listed: ListedPackage) -> str | None:
        """Return the header's value, None if it cannot be read."""
        return listed.embedded.origin or None

    def get_configuration(self, listed: ListedPackage) -> str | None:
        """Return the header's value, None if it cannot be read."""
        return listed.embedded.configuration or None

    def get_error(self, listed: ListedPackage) -> str | None:
        """Return why the file can't be read, None if it can."""
        return listed.embedded.error or None


class ImportCountsSerializer(serializers.Serializer[Any]):
    """The number of objects with each outcome of an import, and of missing rows if a
    step asks for them; in an undo, of rows with each of its four outcomes."""

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        """Return a number for each outcome."""
        return {
            outcome.value: serializers.IntegerField(min_value=0, required=False)
            for outcome in (*Outcome, *UndoOutcome)
        }


class ImportProgressSerializer(serializers.Serializer[ImportRun]):
    """The progress of a run."""

    done = serializers.IntegerField(
        min_value=0,
        help_text="The number of objects processed; while `total` is null, of "
        "objects checked.",
    )
    total = serializers.IntegerField(
        min_value=0,
        allow_null=True,
        help_text="Null until the package has been checked.",
    )


class ImportRunSerializer(serializers.Serializer[ImportRun]):
    """A run, without its report."""

    runId = serializers.UUIDField(source="run_id")
    package = serializers.SerializerMethodField()
    version = serializers.IntegerField(allow_null=True)
    origin = serializers.SerializerMethodField()
    status = serializers.ChoiceField(ImportRun.Status.values)
    position = PositionField(help_text="The place of a queued run, from 1.")
    dryRun = serializers.BooleanField(source="dry_run")
    kind = serializers.ChoiceField(ImportRun.Kind.values)
    basedOn = serializers.UUIDField(
        source="based_on_id",
        allow_null=True,
        help_text="The dry run of a plan, the run that kept the rows of a decision, or "
        "the run that an undo reverts.",
    )
    continueOnError = serializers.BooleanField(source="continue_on_error")
    startedBy = serializers.CharField(source="started_by_name")
    startedAt = serializers.DateTimeField(source="started_at")
    finishedAt = serializers.DateTimeField(source="finished_at", allow_null=True)
    hasErrors = serializers.BooleanField(source="has_errors")
    counts = serializers.SerializerMethodField()
    progress = ImportProgressSerializer(source="*")

    def get_package(self, run: ImportRun) -> str | None:
        """Return the package's identifier, None if it could not be read."""
        return run.package or None

    def get_origin(self, run: ImportRun) -> str | None:
        """Return the origin as packages spell it, None if it could not be read."""
        return _WIRE_ORIGIN.get(run.origin)

    def get_counts(self, run: ImportRun) -> dict[str, int]:
        """Return the counts so far, zeros included."""
        return counts_of(run)


class ImportDiagnosticSerializer(serializers.Serializer[Any]):
    """A message about the package."""

    severity = serializers.ChoiceField([severity.value for severity in Severity])
    path = serializers.CharField(help_text="`$` is the whole package.")
    message = serializers.CharField()


class ImportFirstPlaceSerializer(serializers.Serializer[Any]):
    """The first place of a problem."""

    path = serializers.CharField(help_text="`$` is the whole package.")
    line = serializers.IntegerField(
        allow_null=True, min_value=1, help_text="Line of the file, counted from one."
    )
    id = serializers.CharField(allow_null=True, help_text="The object's `$id`.")
    name = serializers.CharField(allow_null=True, help_text="Its code and name.")
    column = serializers.CharField(
        allow_null=True,
        help_text="The column of the table that the package was made from, empty for "
        "the row as a whole. Null without a table.",
    )


class ImportOwnerSerializer(serializers.Serializer[Any]):
    """The row that has the value, or the deleted row that an object refers to."""

    model = serializers.CharField(
        help_text="The catalog or kind of document that the row belongs to."
    )
    rowId = RowKeyField(
        allow_null=True,
        help_text="The row's key; a string if it isn't a number. Null if the row "
        "is only planned.",
    )
    name = serializers.CharField(help_text="Its code and name.")
    package = serializers.CharField(
        allow_null=True,
        help_text="The package that the row came from; null if it was entered by hand.",
    )
    key = serializers.CharField(
        allow_null=True, help_text="The `$id` of the object that the row came from."
    )


class ImportProblemSerializer(serializers.Serializer[Any]):
    """One cause of failures: equal refusals are one problem."""

    code = serializers.CharField(
        help_text="The kind of problem, such as `taken` or `required`; the same "
        "in all languages."
    )
    message = serializers.CharField()
    property = serializers.CharField(
        allow_blank=True, help_text="Without line numbers: `lines.itemId`."
    )
    value = serializers.CharField(allow_null=True, help_text="The refused value.")
    count = serializers.IntegerField(
        min_value=1, help_text="How many objects were refused for this reason."
    )
    dependants = serializers.IntegerField(
        min_value=0,
        help_text="How many fail only because they refer to one of these.",
    )
    first = ImportFirstPlaceSerializer()
    owner = ImportOwnerSerializer(allow_null=True)
    remedy = serializers.CharField(allow_blank=True, help_text="What to do.")


class ImportReportSerializer(serializers.Serializer[Any]):
    """The report of a run that has ended."""

    runId = serializers.UUIDField()
    counts = ImportCountsSerializer()
    items = ImportEntrySerializer(many=True)
    problems = ImportProblemSerializer(
        many=True, help_text="Most dependants first; at most a thousand."
    )
    diagnostics = ImportDiagnosticSerializer(many=True)
    hasErrors = serializers.BooleanField()


class ImportRunWithReportSerializer(ImportRunSerializer):
    """A run with its report, which is null during the run."""

    report = ImportReportSerializer(allow_null=True)


def with_report(run: ImportRun, items: Iterable[ItemResult]) -> Iterator[bytes]:
    """Yield a run with its report as JSON, a thousand entries at a time."""
    report = {
        "runId": run.run_id,
        "counts": counts_of(run),
        "problems": problems_of(run),
        "diagnostics": run.diagnostics,
        "hasErrors": run.has_errors,
    }
    # Both objects are left open, because their last member is streamed.
    yield (
        _encode(ImportRunSerializer(run).data)[:-1]
        + b',"report":'
        + _encode(report)[:-1]
    )
    yield b',"items":['
    piece: list[bytes] = []
    between = b""
    for item in items:
        piece.append(_encode(item.wire()))
        if len(piece) == _PER_PIECE:
            yield between + b",".join(piece)
            piece, between = [], b","
    if piece:
        yield between + b",".join(piece)
    yield b"]}}"


def without_report(run: ImportRun) -> dict[str, Any]:
    """Return a queued run or one in progress in its wire form."""
    return {**ImportRunSerializer(run).data, "report": None}
