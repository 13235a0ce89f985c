"""What a business row refers to, by itself and in its parts. A live row never refers to
a deleted one, whatever way it came to live: rules judge it before a write, and the save
itself makes sure of it (`importer.live_rows`)."""

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

    A row must be what ``limit_choices_to`` of the column says to be named in it.
    """
    return reference_columns(
        model, reference_name, lambda field: field.get_limit_choices_to()
    )


def references_in(
    row: Any, changed: Collection[str] | None = None
) -> list[RowReference]:
    """Return what a row refers to in the changed columns and parts, None meaning all."""
    model: Any = type(row)
    found = references_of(row, columns_of(model), changed)
    for part in row.parts:
        if changed is None or part.name in changed:
            found += part.references(row)
    return found
