"""The fields of responses whose values need more than their kind."""

from __future__ import annotations

from functools import cached_property
from typing import Any
from uuid import UUID

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from importer.models import ImportRun
from importer.services import queue_positions


@extend_schema_field({"oneOf": [{"type": "integer"}, {"type": "string"}]})
class RowKeyField(serializers.Field[Any, Any, Any, Any]):
    """The key of a row: a number, or a string for models with other keys such as
    UUIDs."""

    def to_representation(self, value: int | str) -> int | str:
        """Return the key."""
        return value


@extend_schema_field({"type": "integer", "minimum": 1, "nullable": True})
class PositionField(serializers.Field[Any, Any, Any, Any]):
    """The place of a queued run, from 1; null for other runs."""

    def get_attribute(self, instance: ImportRun) -> int | None:
        """Return the place of a run."""
        if instance.status != ImportRun.Status.QUEUED:
            return None
        return self._positions.get(instance.run_id)

    def to_representation(self, value: int) -> int:
        """Return the place."""
        return value

    @cached_property
    def _positions(self) -> dict[UUID, int]:
        """The queue, read once for a whole list and only if a run is queued."""
        return queue_positions()
