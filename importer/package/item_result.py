"""The result of one object of a run."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import msgspec

from importer.package.shapes import KEPT, Outcome


class LastChange(msgspec.Struct, frozen=True):
    """Who changed a row last outside of imports, and when; None for what is unknown."""

    by: str | None
    at: datetime | None


class ItemResult(msgspec.Struct, frozen=True, array_like=True):
    """The result of one object (OPEN-37).

    It has no place after a crash, and no index if the file no longer has the object.
    ``seal`` identifies a planned write, or is the hash of the object whose row was kept;
    reports don't show it. ``name`` is what people call the row: its code and name.
    ``line`` is the line of the file where the object begins, ``kept`` the change that
    the row was kept for. Reports of earlier versions have none of these three.
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
    name: str = ""
    line: int | None = None
    kept: LastChange | None = None

    @property
    def step_key(self) -> str:
        """Return the key of its step in counts."""
        return step_key(self.step, self.target)

    @property
    def is_kept(self) -> bool:
        """Return whether the row kept values that the object would change."""
        return self.outcome in KEPT or bool(self.conflicts)

    def wire(self) -> dict[str, Any]:
        """Return the entry in the form of a report."""
        return {
            "id": self.id,
            "name": self.name or None,
            "line": self.line,
            "step": self.step,
            "index": self.index,
            "target": self.target,
            "outcome": self.outcome.value,
            "message": self.message,
            "rowId": self.row_id,
            "changes": self.changes,
            "differences": self.differences,
            "conflicts": self.conflicts,
            "kept": self.kept,
        }


def step_key(step: int | None, target: str) -> str:
    """Return the key of a step in counts: its index, if it is known, and its target."""
    return f"{'' if step is None else step}:{target}"
