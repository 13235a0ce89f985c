"""What a person has chosen about a table; a proposal adds the rest."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from importer.tables.description import TableColumn, TableDescription

_FORMATS = ("encoding", "delimiter", "sheet", "header_row")
_EMPTY = (None, "")


class ChosenTable(msgspec.Struct, frozen=True):
    """The choices of a person.

    ``how`` has the chosen formats and policies, and all columns if a saved source
    describes the table. ``columns`` has the property of each header, empty for none;
    it doesn't count if the headers are others. ``constants`` are the values of
    properties that no column has.
    """

    how: TableDescription | None = None
    columns: Mapping[str, str] | None = None
    constants: Mapping[str, Any] = {}
    key: tuple[str, ...] = ()

    @property
    def saved(self) -> tuple[TableColumn, ...]:
        """Return the columns of the saved source, if there is one."""
        return () if self.how is None else self.how.columns

    def places(self, headers: Sequence[str]) -> dict[int, str] | None:
        """Return the property of each column by its place, None if it isn't chosen."""
        if self.columns is not None and set(self.columns) == set(headers):
            return {
                place: self.columns[header]
                for place, header in enumerate(headers)
                if self.columns[header]
            }
        if not self.saved:
            return None
        found: dict[int, str] = {}
        for column in self.saved:
            place = place_of(column, headers)
            if place is not None:
                found.setdefault(place, column.property)
        return found

    def saved_column(self, header: str, name: str) -> TableColumn | None:
        """Return how the saved source reads a column into a property."""
        for column in self.saved:
            if column.property == name and place_of(column, (header,)) == 0:
                return column
        return None

    def further(self, headers: Sequence[str]) -> Iterator[TableColumn]:
        """Yield what the saved source reads from columns that it also reads into an
        earlier property."""
        read = set()
        for column in self.saved:
            place = place_of(column, headers)
            if place in read:
                yield column
            if place is not None:
                read.add(place)

    def absent(self, headers: Sequence[str]) -> tuple[str, ...]:
        """Return the columns of the saved source that a table doesn't have."""
        expected = (c for c in self.saved if place_of(c, headers) is None)
        return tuple(c.column for c in expected if c.column is not None)

    def given_constants(self, given: set[str]) -> Iterator[TableColumn]:
        """Yield the values of all rows for properties that aren't given."""
        saved = {c.property: c.default for c in self.saved if c.column is None}
        for name, value in {**saved, **self.constants}.items():
            if name not in given and value not in _EMPTY:
                yield TableColumn(name, default=value)


NOTHING_CHOSEN = ChosenTable()


def place_of(column: TableColumn, headers: Sequence[str]) -> int | None:
    """Return the place of a column, None if the table doesn't have it."""
    if column.column is None:
        return None
    wanted = " ".join(column.column.split()).casefold()
    names = [name.casefold() for name in headers]
    return names.index(wanted) if wanted in names else None


def to_save(proposed: TableDescription, chosen: ChosenTable) -> TableDescription:
    """Return a proposed description for a saved source: what was recognised in one file
    is recognised in each, except for the decimal mark and the form of dates."""
    fixed = {n: getattr(chosen.how, n) if chosen.how else None for n in _FORMATS}
    return msgspec.structs.replace(proposed, format=None, **fixed)
