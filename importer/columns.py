"""The columns that tell the importer when a row changed, whether it is deleted, and its
version. They have the usual names unless a target gives others."""

from __future__ import annotations

from typing import Any

import msgspec
from django.db import models


class Columns(msgspec.Struct, frozen=True):
    """The names of three columns of a model; empty if it has none."""

    modified: str = ""
    deleted: str = ""
    version: str = ""


USUAL = Columns("modified", "is_deleted", "version")
_known: dict[type[models.Model], Columns] = {}


def give_columns(model: type[models.Model], given: Columns) -> None:
    """Set other column names for a model; an empty name means the usual one."""
    names = {field.name for field in model._meta.concrete_fields}
    pairs = zip(
        msgspec.structs.astuple(given), msgspec.structs.astuple(USUAL), strict=True
    )
    found = (name or (usual if usual in names else "") for name, usual in pairs)
    _known[model] = Columns(*found)


def columns_of(model: type[models.Model]) -> Columns:
    """Return the columns of a model."""
    if model not in _known:
        give_columns(model, Columns())
    return _known[model]


def is_deleted(row: Any) -> bool:
    """Return whether a row is soft-deleted."""
    column = columns_of(type(row)).deleted
    return bool(column and getattr(row, column))
