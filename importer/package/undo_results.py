"""The outcomes and results of an undo, which reverts what a run did row by row."""

from __future__ import annotations

from enum import StrEnum

from importer.package.item_result import ItemResult


class UndoOutcome(StrEnum):
    """The outcome of one row when a run is undone."""

    REVERTED = "Reverted"
    KEPT = "Kept"
    BLOCKED = "Blocked"
    GONE = "Gone"


class UndoResult(ItemResult, frozen=True, array_like=True):
    """The result of one row when a run is undone; it has no place in a package."""

    outcome: UndoOutcome  # type: ignore[assignment]
