"""Small values passed between stations, one per object."""

from __future__ import annotations

from typing import Any

import msgspec

from importer.package.item_result import LastChange


class ExistingRow(msgspec.Struct, frozen=True):
    """The row of one object.

    ``marked`` is false for a row found by match, which another package may have to
    give up, ``taken_from``; ``submitted`` is true for a submitted row. ``name`` is what
    people call it, known of marked rows.
    """

    row_id: int
    source_hash: str = ""
    version: int | None = None
    deleted: bool = False
    user_modified: bool = False
    marked: bool = True
    submitted: bool = False
    taken_from: str = ""
    name: str = ""


class KeptEntry(msgspec.Struct, frozen=True):
    """What a report says of a row that is kept: its name, how it differs from its object
    ``{property: [here, package]}``, and for which change of whom it is kept."""

    name: str
    differences: dict[str, list[Any]] | None = None
    conflicts: dict[str, list[Any]] | None = None
    change: LastChange | None = None


class Entry(msgspec.Struct, frozen=True):
    """One object of the window: its number in the package, id and hash."""

    number: int
    index: int
    id: str
    source_hash: str


class ObjectContent(msgspec.Struct, frozen=True):
    """The content of an object after the second reading."""

    entry: Entry
    item: dict[str, Any]
