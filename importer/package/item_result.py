"""The result of one object of a run."""

from __future__ import annotations

from typing import Any

import msgspec

from importer.package.shapes import KEPT, Outcome


class ItemResult(msgspec.Struct, frozen=True, array_like=True):
    """The result of one object (OPEN-37).

    It has no place after a crash, and no index if the file no longer has the object.
    ``seal`` identifies a planned write, or is the hash of the object whose row was kept;
    reports don't show it.
    """

    id: str
    step: int | None
    index: int | None
    target: str
    outcome: Outcome
    message: str
    row_id: int | str | None
    changes: dict[str, list[Any]] | None = None
    differences: dict[str, list[Any]] | None = None
    conflicts: dict[str, list[Any]] | None = None
    seal: str = ""

    @property
    def is_kept(self) -> bool:
        """Return whether the row kept values that the object would change."""
        return self.outcome in KEPT or bool(self.conflicts)

    def wire(self) -> dict[str, Any]:
        """Return the entry in the form of a report."""
        return {
            "id": self.id,
            "step": self.step,
            "index": self.index,
            "target": self.target,
            "outcome": self.outcome.value,
            "message": self.message,
            "rowId": self.row_id,
            "changes": self.changes,
            "differences": self.differences,
            "conflicts": self.conflicts,
        }
