"""The plan of a dry run: what an import that carries it out may write, and nothing else.

A dry run seals each planned write. An import of the plan makes the same seals and
refuses whatever differs: a row that has moved, a reference that now leads elsewhere, a
source that has changed.
"""

from __future__ import annotations

from hashlib import sha256
from typing import Any, Protocol

import msgspec

from importer.package.fields import FieldKind, FieldSpec
from importer.package.hashing import canonical
from importer.package.shapes import ObjectError, Outcome, Problem
from importer.package.translation import gettext as _, gettext_noop

CHANGED = "changed-since-dry-run"
_LENGTH = 16
_NEW = "new"


class PlannedWrite(msgspec.Struct, frozen=True):
    """The planned outcome of one object, with the seal of its write."""

    outcome: Outcome
    seal: str = ""


class Plan(Protocol):
    """The plan of a dry run."""

    def of(self, number: int) -> PlannedWrite:
        """Return what is planned for an object by its number."""

    def deletes(self, target: str, key: str, seal: str) -> bool:
        """Return whether a row without an object in the file is to be deleted."""

    def reason_to_keep(self, target: str, key: str, seal: str) -> str:
        """Return why such a row is to be kept, an empty text if that isn't planned."""


CHANGED_SINCE = gettext_noop(
    "changed since the dry run, so nothing was written; start a new dry run"
)


class NotPlanned(ObjectError):
    """The refusal of a write that the dry run did not plan like this."""

    def __init__(self) -> None:
        super().__init__([Problem("", _(CHANGED_SINCE), CHANGED)])


def seal_of_removal(version: int | None) -> str:
    """Return the seal of the deletion of a row with a version."""
    return str(version)


class Seals:
    """The seals of a run's writes.

    They don't depend on the keys of rows that the run itself inserts, which a dry run
    can't know.
    """

    def __init__(self) -> None:
        self._inserted: set[tuple[str, int]] = set()

    def note_inserted(self, target: str, row_id: int) -> None:
        """Note a row that the run has inserted and later objects may refer to."""
        self._inserted.add((target, row_id))

    def seal(
        self,
        fields: tuple[FieldSpec, ...],
        version: int | None,
        values: dict[str, Any],
        changes: dict[str, list[Any]],
    ) -> str:
        """Return the seal of a write of values into a row, with what they replace."""
        before = {name: pair[0] for name, pair in changes.items()}
        given = self._known(values, fields)
        written = canonical([version, before, given])
        return sha256(written).hexdigest()[:_LENGTH]

    def _known(
        self, values: dict[str, Any], fields: tuple[FieldSpec, ...]
    ) -> dict[str, Any]:
        """Return the values with one word for every row that the run inserts."""
        result = dict(values)
        for field in fields:
            value = result.get(field.name)
            if field.kind is FieldKind.REFERENCE and type(value) is int:
                if value < 0 or (field.to, value) in self._inserted:
                    result[field.name] = _NEW
            elif field.kind is FieldKind.LINES and isinstance(value, list):
                result[field.name] = [self._known(one, field.lines) for one in value]
        return result
