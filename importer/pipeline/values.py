"""Small values passed from station to station, made per object."""

from __future__ import annotations

from typing import Any

import msgspec


class ExistingRow(msgspec.Struct, frozen=True):
    """What is known about the row of one object.

    ``marked`` is false for an unmarked row found by match, ``submitted`` true for one
    that is more than saved.
    """

    row_id: int
    source_hash: str = ""
    version: int | None = None
    deleted: bool = False
    user_modified: bool = False
    marked: bool = True
    submitted: bool = False


class Entry(msgspec.Struct, frozen=True):
    """One object of the window: its number in the package and what is known of it."""

    number: int
    index: int
    id: str
    source_hash: str


class ObjectContent(msgspec.Struct, frozen=True):
    """The content of an object that was read a second time."""

    entry: Entry
    item: dict[str, Any]
