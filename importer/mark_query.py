"""The query behind every window of every run: which rows carry the marks of a package."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.db import connections, models
from django.db.models import F, Value

from importer.lookups import as_parameter
from importer.models.mark import MODIFIED_AFTER_IMPORT
from importer.pipeline.values import Sighting


class MarkQuery:
    """A query compiled once, whose rows come through a plain cursor.

    That costs half of what the ORM's own way does, and every window asks it.
    """

    def __init__(self, rows: models.QuerySet[Any], submitted: str) -> None:
        columns = {field.name for field in rows.model._meta.concrete_fields}
        nothing = Value(None, models.IntegerField())
        no = Value(False)  # noqa: FBT003 - an expression, not a flag
        modified = models.ExpressionWrapper(
            MODIFIED_AFTER_IMPORT, models.BooleanField()
        )
        query = (
            rows.filter(import_key__one_of=["key"])
            .filter(import_source="source")
            .values_list(
                "import_key",
                "pk",
                "import_source_hash",
                F("version") if "version" in columns else nothing,
                F("is_deleted") if "is_deleted" in columns else no,
                modified if "modified" in columns else no,
                F(submitted) if submitted else no,
            )
        )
        self._database = rows.db
        sql, params = query.query.sql_with_params()
        # The last two are put in place of "key" and "source".
        self._sql, self._fixed = sql, tuple(params[:-2])

    def __call__(self, source: str, keys: Sequence[str]) -> dict[str, Sighting]:
        """Return what carries the mark of a package, by object id."""
        connection = connections[self._database]
        params = [*self._fixed, as_parameter(list(keys), connection), source]
        with connection.cursor() as cursor:
            cursor.execute(self._sql, params)
            return {
                key: Sighting(
                    row_id,
                    digest,
                    version,
                    deleted=bool(deleted),
                    user_modified=bool(modified),
                    submitted=bool(submitted),
                )
                for (
                    key,
                    row_id,
                    digest,
                    version,
                    deleted,
                    modified,
                    submitted,
                ) in cursor.fetchall()
            }
