"""What the undo of a run needs of a project: the rows that the run wrote, and a way to
revert each of them.

``importer.registry.register_history`` registers it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Protocol

from importer.models import ImportRun
from importer.package.undo_results import UndoOutcome


class RevertibleRow(Protocol):
    """One row that a run wrote, and what its undo would do."""

    @property
    def target(self) -> str:
        """Return the name of the row's target."""

    @property
    def row_id(self) -> int:
        """Return the key of the row."""

    @property
    def id(self) -> str:
        """Return the ``$id`` of the row's object, empty if it is unknown."""

    @property
    def name(self) -> str:
        """Return what people call the row, empty if it is unknown."""

    @property
    def outcome(self) -> UndoOutcome | None:
        """Return None for a row to revert, otherwise what becomes of it."""

    @property
    def message(self) -> str:
        """Return the reason for the outcome."""

    @property
    def changes(self) -> Mapping[str, Sequence[Any]] | None:
        """Return the values now and those that come back, None for a row that the run
        created."""

    def revert(self, user: Any) -> None:
        """Revert the row as a user, in one transaction; raise ObjectError if it is
        refused, Stale if somebody else changed the row since it was read."""

    def read_again(self) -> RevertibleRow:
        """Return the row as it is now."""


class History(Protocol):
    """The recorded changes of runs, and the services that write rows."""

    def knows(self, run: ImportRun) -> bool:
        """Return whether changes of a run are recorded."""

    def why_incomplete(self, run: ImportRun) -> str:
        """Return why not all is known that the undo of a run needs, an empty text if it
        is: the rows that the run wrote, and all changes of them since its start."""

    def count(self, run: ImportRun) -> int:
        """Return the number of rows that a run wrote."""

    def windows(self, run: ImportRun, size: int) -> Iterator[Sequence[RevertibleRow]]:
        """Yield the rows that a run wrote, each once, those written last first.

        Each window takes a constant number of queries for each table.
        """

    def restore(self, row: Any, user: Any) -> None:
        """Restore a deleted row as a user; raise ObjectError if it is refused, Stale if
        somebody else has changed it since it was read."""
