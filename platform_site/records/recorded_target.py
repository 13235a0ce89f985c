"""The import target of rows whose changes are recorded: what their change events tell
the importer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from importer.targets import DateTimeField, LastChange, SerializerTarget, TargetSpec
from platform_site.changes.imported_values import last_imported
from platform_site.changes.last_changes import last_changes
from platform_site.records.models import Record


class RecordedTarget(SerializerTarget):
    """An import target for rows with change events."""

    def describe(self) -> TargetSpec:
        """Return the description: change events tell what users changed."""
        return replace(super().describe(), mergeable=True)

    def last_imported(self, rows: Sequence[Record]) -> Mapping[int, Mapping[str, Any]]:
        """Return what runs wrote last where users have changed rows since then."""
        times = {row.pk: row.import_imported_at for row in rows}
        known = {pk: at for pk, at in times.items() if at is not None}
        return {
            row_id: {name: self._as_now(name, value) for name, value in values.items()}
            for row_id, values in last_imported(self.name, known).items()
        }

    def last_changes(self, row_ids: Sequence[int]) -> Mapping[int, LastChange]:
        """Return who changed rows last outside of imports, and when."""
        return last_changes(self.name, self._all.filter(pk__one_of=row_ids))

    def _as_now(self, name: str, value: Any) -> Any:
        """Return a value of a change event as it is represented now: an event has a
        time in the zone of its user."""
        field = self.fields.get(name)
        if value is None or not isinstance(field, DateTimeField):
            return value
        return field.to_representation(field.to_internal_value(value))
