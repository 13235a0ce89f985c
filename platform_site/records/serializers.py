"""The serializers of business rows, with unique validators and their messages."""

from __future__ import annotations

from typing import Any

from django.utils.functional import lazy
from django.utils.translation import gettext_lazy as _
from rest_framework import serializers
from rest_framework.validators import UniqueTogetherValidator, UniqueValidator

from importer.targets import (
    DateTimeField,
    IntegerField,
    WireSerializer,
    unique_names,
    unique_sets,
)
from platform_site.records.models import Record

TAKEN = _("Another row already has this value.")
TAKEN_TOGETHER = _("Another row already has this %s and %s.")


def _together(names: tuple[str, ...]) -> str:
    return str(TAKEN_TOGETHER) % names


# Translated lazily, since serializers are shared by readers of all languages.
_taken_together = lazy(_together, str)


class RowStateSerializer(serializers.Serializer[Any]):
    """The state of a row in answers of the API: its version and its times.

    They aren't properties of the row itself, so packages and tables don't have them.
    """

    version = IntegerField(
        read_only=True, help_text=_("Counts the changes of the row, from 1.")
    )
    createdAt = DateTimeField(
        source="created", read_only=True, help_text=_("When the row was created.")
    )
    modifiedAt = DateTimeField(
        source="modified",
        read_only=True,
        help_text=_("When the row was changed, deleted or restored last."),
    )


_STATE = dict(RowStateSerializer().fields)


class RecordSerializer(WireSerializer):
    """The base serializer of business rows: ``id``, then its properties.

    DRF builds no validator from a conditional constraint, so each value that is unique
    among live rows gets its ``UniqueValidator`` here.
    """

    id = serializers.IntegerField(read_only=True)

    def get_fields(self) -> dict[str, Any]:
        """Return the fields, unique ones with their validator."""
        fields = super().get_fields()
        model: type[Record] = self.Meta.model
        for field in fields.values():
            field.validators = [
                v for v in field.validators if not isinstance(v, UniqueValidator)
            ]
        for name in unique_names(fields, model):
            live = model.objects.filter(is_deleted=False)
            fields[name].validators.append(UniqueValidator(live, message=TAKEN))
        return fields

    def _read_only(self, name: str) -> Any:
        """Return the field of a read-only property, also of the row's state."""
        return super()._read_only(name) or _STATE.get(name)

    def get_validators(self) -> list[Any]:
        """Return the validators of combinations that are unique among live rows."""
        model: type[Record] = self.Meta.model
        live = model.objects.filter(is_deleted=False)
        return [
            UniqueTogetherValidator(live, names, message=_taken_together(names))
            for names in unique_sets(self.fields, model)
        ]
