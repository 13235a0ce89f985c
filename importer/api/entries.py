"""The entries of a report, one for each object."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from importer.api.fields import RowKeyField
from importer.package.shapes import Outcome
from importer.package.undo_results import UndoOutcome


class ImportKeptSerializer(serializers.Serializer[Any]):
    """The change that a row was kept for."""

    by = serializers.CharField(
        allow_null=True, help_text="The name of the user; null if it isn't known."
    )
    at = serializers.DateTimeField(allow_null=True)


class ImportEntrySerializer(serializers.Serializer[Any]):
    """The outcome of one object."""

    id = serializers.CharField()
    name = serializers.CharField(
        allow_null=True,
        help_text="What people call the row: its code and its name. Null if there is "
        "neither.",
    )
    line = serializers.IntegerField(
        allow_null=True,
        min_value=1,
        help_text="The line of the file where the object begins, counted from one. Null "
        "if `index` is.",
    )
    step = serializers.IntegerField(
        min_value=0,
        allow_null=True,
        help_text="Null, like `index`, for rows written just before the process died, "
        "and in an undo.",
    )
    index = serializers.IntegerField(
        min_value=0,
        allow_null=True,
        help_text="Null, too, for rows whose objects the file no longer has.",
    )
    target = serializers.CharField()
    outcome = serializers.ChoiceField(
        [outcome.value for outcome in (*Outcome, *UndoOutcome)],
        help_text="Reverted, Kept, Blocked and Gone are those of an undo.",
    )
    message = serializers.CharField(
        help_text="Begins with the path if the object failed."
    )
    rowId = RowKeyField(
        allow_null=True,
        help_text="The row's key; a string if it isn't a number. Null if there is "
        "no row, or the row is only planned.",
    )
    changes = serializers.DictField(
        child=serializers.ListField(help_text="Before and after."),
        allow_null=True,
        help_text="The changes of Updated, Adopted and Restored, by property.",
    )
    differences = serializers.DictField(
        child=serializers.ListField(
            help_text="The stored value and the value in the package."
        ),
        allow_null=True,
        help_text="The differences between the row and its object for "
        "SkippedUserModified, by property; empty if the user entered "
        "exactly what the package says.",
    )
    conflicts = serializers.DictField(
        child=serializers.ListField(
            help_text="The value last imported, the stored one and the one in the "
            "package. The first is null if it isn't known."
        ),
        allow_null=True,
        help_text="With `onUserModified` `merge`: the properties that both a user and "
        "the package changed, and that keep their stored values.",
    )
    kept = ImportKeptSerializer(
        allow_null=True,
        help_text="For SkippedUserModified and SkippedDeleted: who changed or deleted "
        "the row last.",
    )
