"""The references of business rows and their parts. A live row never refers to a deleted
one: rules check it before a write, and the save itself ensures it
(`importer.live_rows`)."""

from __future__ import annotations

from collections.abc import Collection
from functools import cache
from typing import Any

from django.db import models

from importer.targets import (
    ReferenceColumn,
    RowReference,
    reference_columns,
    reference_name,
    references_of,
)


@cache
def columns_of(model: type[models.Model]) -> tuple[ReferenceColumn, ...]:
    """Return the columns of a model that refer to business rows.

    A referenced row must fulfil the ``limit_choices_to`` of the column.
    """
    return reference_columns(
        model, reference_name, lambda field: field.get_limit_choices_to()
    )


def references_in(
    row: Any, changed: Collection[str] | None = None
) -> list[RowReference]:
    """Return the references of a row in the changed columns and parts, None meaning
    all."""
    model: Any = type(row)
    found = references_of(row, columns_of(model), changed)
    for part in row.parts:
        if changed is None or part.name in changed:
            found += part.references(row)
    return found
