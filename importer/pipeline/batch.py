"""The objects of one window, passed from the window importer to the object importer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from importer.package.item_result import LastChange
from importer.package.object_names import object_name
from importer.package.shapes import Step
from importer.pipeline.decide import UNCHANGED, Decision
from importer.pipeline.memory import CodeUse
from importer.pipeline.merge import Changes
from importer.pipeline.ports import Target
from importer.pipeline.source_copies import SourceCopies
from importer.pipeline.values import Entry, ExistingRow, KeptEntry, ObjectContent
from importer.pipeline.window import Window


class Batch(msgspec.Struct, frozen=True):
    """The objects of one window, located, decided and loaded.

    ``existing`` has the marked rows by object id; the other attributes are by object
    number. Objects that are only adopted if a row matches have no decision yet, and
    settled objects may have no content. ``last_imported`` has what ``Target`` returns of
    the rows to be merged, ``last_changes`` the same of the rows that may be kept.
    ``retried`` is true for the second attempt at an object whose row somebody else
    changed.
    """

    step: Step
    target: Target
    entries: list[Entry]
    existing: Mapping[str, ExistingRow]
    decisions: Mapping[int, Decision]
    contents: Mapping[int, ObjectContent]
    code_uses: Mapping[int, list[CodeUse]]
    window: Window
    copies: SourceCopies
    last_imported: dict[int, Mapping[str, Any]]
    last_changes: Mapping[int, LastChange]
    retried: bool

    def is_unchanged(self, entry: Entry) -> bool:
        """Return whether there is nothing to do for an object, and nothing to say of it.

        In most runs most objects are so.
        """
        number = entry.number
        if self.decisions.get(number) is not UNCHANGED or number in self.code_uses:
            return False
        return not self.step.submit or self.existing[entry.id].submitted

    def name_of(self, entry: Entry) -> str:
        """Return the name of an object's row, or what the object calls its row."""
        existing = self.existing.get(entry.id)
        if existing is not None:
            return existing.name
        content = self.contents.get(entry.number)
        return object_name(content.item, self.target.spec.code) if content else ""

    def kept_row(
        self,
        existing: ExistingRow,
        differences: Changes | None = None,
        conflicts: Changes | None = None,
    ) -> KeptEntry:
        """Return what a report says of a row that is kept."""
        change = self.last_changes.get(existing.row_id)
        return KeptEntry(existing.name, differences, conflicts, change)
