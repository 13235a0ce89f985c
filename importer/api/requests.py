"""The requests of the endpoints: both forms of starting a run, and the queries."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext as _
from rest_framework import serializers
from rest_framework.fields import empty

from importer import sentences
from importer.models import ImportRun
from importer.package.shapes import KEPT, MAX_VERSION, Outcome
from importer.package.time_zones import UnknownTimeZone, named_zone
from importer.package.undo_results import UndoOutcome
from importer.strict import StrictSerializer
from importer.wire_fields import (
    BooleanField,
    ChoiceField,
    NumberField,
    TextField,
    UUIDField,
)

JSON, CSV = "json", "csv"
_LONGEST_PAGE = 1_000_000_000
_SEARCHED = (
    "Only entries with this text, ignoring case, in id, name, target or message, in a "
    "text of `differences` or `conflicts`, or in `kept.by`; or with this `line`."
)


class YesOrNo(BooleanField):
    """A boolean field that also accepts the words that a form sends."""

    def run_validation(self, data: Any = empty) -> Any:
        """Refuse null, so that a dry run is never mistaken for a real one."""
        if data is None:
            self.fail("null")
        return super().run_validation(data)

    def to_internal_value(self, data: Any) -> bool:
        """Return the value; raise ValidationError for what is neither."""
        in_form = hasattr(self.parent.initial_data, "getlist")
        if in_form and isinstance(data, str):
            data = {"true": True, "false": False}.get(data.lower(), data)
        return super().to_internal_value(data)


class ChoicesSerializer(StrictSerializer):
    """The options of a run, in both forms."""

    dryRun = YesOrNo(default=False, help_text="Plan everything and write nothing.")
    continueOnError = YesOrNo(
        default=False,
        help_text="Import the valid objects even if others fail, instead of stopping.",
    )
    queue = YesOrNo(
        default=False,
        help_text="Wait for the end of other runs, instead of the response 409.",
    )
    timeZone = TextField(
        required=False,
        allow_blank=True,
        max_length=64,
        help_text="Time zone of the package's dates, as an IANA name. It takes "
        "precedence over the header X-Time-Zone, the user's time zone "
        "and that of the installation.",
    )

    def validate_timeZone(self, value: str) -> str:  # noqa: N802 - a wire name
        """Refuse an unknown time zone (OPEN-28)."""
        try:
            return named_zone(value).key if value else ""
        except UnknownTimeZone as unknown:
            raise serializers.ValidationError(str(unknown)) from None


class PackageOptionsSerializer(ChoicesSerializer):
    """The query of a request whose body is the package itself; other bodies have their
    options inside."""


class RunEmbeddedSerializer(ChoicesSerializer):
    """The request to run an embedded package, or to carry out the plan of a dry run."""

    package = TextField(
        required=False, max_length=200, help_text="Identifier of an embedded package."
    )
    plan = UUIDField(
        required=False,
        help_text="Instead of `package`: the `runId` of a dry run. The import writes "
        "exactly what it planned; rows that have changed since are left as they are.",
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Require one of package and plan; a plan has the options of its dry run."""
        if "plan" not in attrs:
            if "package" not in attrs:
                text = str(TextField.default_error_messages["required"])
                raise serializers.ValidationError({"package": [text]}, "required")
            return attrs
        text = _("A plan has its own package, dates and time zone; leave this out.")
        given = ("package", "timeZone", "dryRun")
        wrong = {name: [text] for name in given if attrs.get(name)}
        if wrong:
            raise serializers.ValidationError(wrong)
        return attrs


class RunUploadSerializer(ChoicesSerializer):
    """The request to run an uploaded package."""

    file = serializers.FileField(
        allow_empty_file=False,
        help_text="The package, a JSON file.",
        error_messages=sentences.FILE,
    )


class UndoSerializer(StrictSerializer):
    """The request to undo a run."""

    dryRun = YesOrNo(
        default=False, help_text="Report what an undo would do and write nothing."
    )


class WhichRunsSerializer(StrictSerializer):
    """The query for a list of runs."""

    package = TextField(
        required=False,
        allow_blank=True,
        help_text="Identifier of a package; if omitted, all packages.",
    )
    status = ChoiceField(
        ImportRun.Status.values,
        required=False,
        allow_blank=True,
        help_text="Only runs with this status.",
    )
    user = TextField(
        required=False,
        allow_blank=True,
        max_length=150,
        help_text="Only runs that the user with this name started.",
    )
    dryRun = ChoiceField(
        ["true", "false"],
        default="false",
        help_text="Whether to list the dry runs that are kept, instead of the imports.",
    )
    page = NumberField(
        default=1,
        min_value=1,
        max_value=_LONGEST_PAGE,
        help_text="The page, from 1; each has 50 runs.",
    )


class WhichRowsSerializer(StrictSerializer):
    """The query for an export of rows."""

    dictionary = TextField(
        default="",
        allow_blank=True,
        help_text="The catalogs and kinds of documents to export, separated by commas.",
    )
    document = TextField(
        default="",
        allow_blank=True,
        help_text="Further kinds of documents, separated by commas.",
    )
    where = TextField(
        default="",
        allow_blank=True,
        help_text="Filters of lists, separated by `&`: `priceFrom=10&isFolder=false`. "
        "With several catalogs, each begins with one: `Items.priceFrom=10`.",
    )
    package = TextField(
        default="",
        allow_blank=True,
        help_text="The name of the package; if omitted, it is made from the query.",
    )
    version = NumberField(
        default=1,
        min_value=1,
        max_value=MAX_VERSION,
        help_text="The version of the package.",
    )


class WhichFormSerializer(StrictSerializer):
    """The query for the failed and kept objects of a run."""

    format = ChoiceField(
        [JSON, CSV],
        default=JSON,
        help_text="`csv` for the rows of the table that the run imported.",
    )


class DecideSerializer(StrictSerializer):
    """The request to decide about rows that a run kept."""

    items = serializers.ListField(
        child=TextField(max_length=200),
        required=False,
        allow_empty=False,
        max_length=10_000,
        error_messages=sentences.LIST,
        help_text="The `$id` of each object; without it, all that the filter leaves.",
    )
    outcome = ChoiceField(
        [outcome.value for outcome in (*KEPT, Outcome.UPDATED)],
        required=False,
        help_text="Only entries with this outcome.",
    )
    search = TextField(
        required=False,
        max_length=200,
        help_text=_SEARCHED,
    )
    take = ChoiceField(
        ["package", "mine"],
        help_text="Whose values the rows get: those of the package, or their own.",
    )


class WhichEntriesSerializer(StrictSerializer):
    """The query for entries of a report."""

    outcome = ChoiceField(
        [outcome.value for outcome in (*Outcome, *UndoOutcome)],
        required=False,
        allow_blank=True,
        help_text="Only entries with this outcome.",
    )
    search = TextField(
        required=False,
        allow_blank=True,
        max_length=200,
        help_text=_SEARCHED,
    )
    offset = NumberField(
        required=False,
        min_value=0,
        max_value=_LONGEST_PAGE,
        help_text="How many entries to skip.",
    )
    limit = NumberField(
        required=False,
        min_value=0,
        max_value=_LONGEST_PAGE,
        help_text="The maximum number of entries; if omitted, all.",
    )
