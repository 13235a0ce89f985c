"""The import mark: the columns that connect a row with its object (IMP-113).

This is the only place that defines when a row counts as modified by a user after its
import.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from django.db import models
from django.db.models import F, Q

from importer.columns import columns_of
from importer.package.shapes import Mark


class ImportMarked(models.Model):
    """A model with the mark in five columns of the row itself (OPEN-22)."""

    import_origin = models.CharField(
        max_length=10, null=True, editable=False, db_column="Import_Origin"
    )
    import_source = models.CharField(
        max_length=100, null=True, editable=False, db_column="Import_Source"
    )
    import_key = models.CharField(
        max_length=200, null=True, editable=False, db_column="Import_Key"
    )
    import_source_hash = models.CharField(
        max_length=64, null=True, editable=False, db_column="Import_SourceHash"
    )
    import_imported_at = models.DateTimeField(
        null=True, editable=False, db_column="Import_ImportedAt"
    )

    class Meta:
        abstract = True
        constraints = [
            models.UniqueConstraint(
                fields=["import_source", "import_key"],
                condition=Q(import_key__isnull=False),
                name="%(app_label)s_%(class)s_one_row_per_object",
            )
        ]

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Save the row; raise ValueError if it would keep or get a part of a mark."""
        if (columns := kwargs.get("update_fields")) is not None:
            # It may be an iterator, which can be read only once.
            columns = kwargs["update_fields"] = frozenset(columns)
        self._refuse_half_a_mark(columns, kwargs.get("using"))
        super().save(*args, **kwargs)

    def _refuse_half_a_mark(
        self, columns: Collection[str] | None, using: str | None
    ) -> None:
        """Refuse to write a part of a mark: no run would find such a row."""
        written = {*MARK_FIELDS} - self.get_deferred_fields()
        if columns is not None:
            written &= {*columns}
        if not written:
            return
        values = {name: getattr(self, name) for name in written}
        if kept := {*MARK_FIELDS} - written:
            rows = type(self)._base_manager.using(using).filter(pk=self.pk)
            values.update(rows.values(*kept).first() or {})
        found = [name for name in MARK_FIELDS if values.get(name) is not None]
        if found and len(found) < len(MARK_FIELDS):
            raise ValueError(
                "The import mark of a row has five columns, all set or none; set here: "
                f"{', '.join(found)}. Leave the mark to imports, or set it whole."
            )

    @property
    def is_modified_after_import(self) -> bool:
        """Return whether a user changed the row after its import (IMP-121, OPEN-21)."""
        column = columns_of(type(self)).modified
        modified = getattr(self, column) if column else None
        at = self.import_imported_at
        return at is not None and modified is not None and modified > at


MARK_FIELDS = (
    "import_origin",
    "import_source",
    "import_key",
    "import_source_hash",
    "import_imported_at",
)


def modified_after_import(column: str) -> Q:
    """Return a condition for rows that a user changed after their import."""
    return Q(**{f"{column}__gt": F("import_imported_at")})


def mark_columns(mark: Mark, imported_at: Any) -> dict[str, Any]:
    """Return the columns of a mark with their values."""
    values = (mark.origin, mark.source, mark.key, mark.source_hash, imported_at)
    return dict(zip(MARK_FIELDS, values, strict=True))


def put_mark(row: Any, mark: Mark, imported_at: Any) -> None:
    """Set the mark columns of a row that is about to be written."""
    if mark.keeps_time:
        imported_at = row.import_imported_at
    for name, value in mark_columns(mark, imported_at).items():
        setattr(row, name, value)
