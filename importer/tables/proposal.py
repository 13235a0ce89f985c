"""A proposal of how to import a table: formats, columns, key and what every row needs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import msgspec

from importer.package.fields import Applies, FieldKind, FieldSpec, TargetSpec
from importer.package.step_kinds import DICTIONARY
from importer.tables.cells import is_empty
from importer.tables.chosen import NOTHING_CHOSEN, ChosenTable
from importer.tables.csv_rows import TableRow
from importer.tables.description import (
    BY_CODE,
    BY_INDENT,
    BY_PATH,
    TableColumn,
    TableDescription,
    TableFormat,
    field_of,
    folder_flag,
)
from importer.tables.detection import (
    FoundTable,
    find_table,
    plausible,
    with_marks,
)
from importer.tables.mapping import Labels, PropertyNames, code_header
from importer.tables.reading import TableFile
from importer.tables.usual_words import UNITS

CodesOf = Callable[[str], Sequence[str]]
"""The codes of the rows of a target, or some of them."""
_SEPARATORS = (" / ", " > ", ">", "\\", "|", "/")
_CHOICES = (FieldKind.CHOICE, FieldKind.BOOLEAN)


class Proposal(msgspec.Struct, frozen=True):
    """A proposed description, and the table it was made from.

    ``missing`` are the properties that every row needs but no column has, ``absent`` the
    columns that a saved source expects but the table doesn't have.
    """

    description: TableDescription
    how: TableFormat
    headers: tuple[str, ...]
    sample: Sequence[TableRow]
    missing: tuple[str, ...]
    absent: tuple[str, ...] = ()


def propose(
    file: TableFile,
    spec: TargetSpec,
    *,
    labels: Labels | None = None,
    codes_of: CodesOf = lambda target: (),
    chosen: ChosenTable = NOTHING_CHOSEN,
) -> Proposal:
    """Return how a table is probably meant; raise TableError if it can't be read.

    ``labels`` are what people call the properties. Texts of references that are the code
    of no row are replaced by the code of the same unit, as far as ``codes_of`` knows it.
    What was ``chosen`` isn't proposed.
    """
    names = PropertyNames(spec, labels or {})
    found = find_table(file, chosen.how, names.all)
    headers = found.headers.names
    places = chosen.places(headers)
    if places is None:
        places = names.proposed(
            headers,
            lambda place, name: plausible(found.sample, place, field_of(spec, name)),
        )
    how = with_marks(found, spec, places.items())
    columns, missing = _Proposer(spec, found, codes_of, chosen).columns(places)
    given = {column.property for column in columns}
    key = tuple(name for name in chosen.key if name in given) or _key(spec, given)
    code = spec.code
    kept = chosen.how or TableDescription(spec.name, (), ())
    description = msgspec.structs.replace(
        kept,
        target=spec.name,
        columns=columns,
        key=key,
        format=how.format,
        encoding=how.encoding or None,
        delimiter=how.delimiter or None,
        decimal=how.decimal,
        date_format=how.date_format,
        sheet=how.sheet,
        header_row=how.header_row,
        group_by=key if any("." in name for name in given) else (),
        match=(code,) if code in key and spec.kind == DICTIONARY.key else (),
    )
    absent = chosen.absent(headers)
    return Proposal(description, how, headers, found.sample, missing, absent)


def _key(spec: TargetSpec, given: set[str]) -> tuple[str, ...]:
    """Return what identifies a row: its code, else another unique property, else what
    people tell documents apart by."""
    alone = [name for name in spec.looked_up if name in given]
    if alone:
        return (alone[0],)
    together = tuple(
        field.name
        for field in spec.fields
        if field.name in given
        and field.required
        and field.kind in (FieldKind.DATE_TIME, FieldKind.DATE, FieldKind.REFERENCE)
    )
    return together or (("name",) if "name" in given else ())


class _Proposer:
    """The columns of one proposal."""

    def __init__(
        self,
        spec: TargetSpec,
        table: FoundTable,
        codes_of: CodesOf,
        chosen: ChosenTable,
    ) -> None:
        self._spec = spec
        self._headers = table.headers.names
        self._sample = table.sample
        self._codes_of = codes_of
        self._chosen = chosen

    def columns(
        self, places: Mapping[int, str]
    ) -> tuple[tuple[TableColumn, ...], tuple[str, ...]]:
        """Return the columns found, folders, and constants, and what is missing."""
        chosen = self._chosen
        found = [self._column(place, places[place]) for place in sorted(places)]
        given = {column.property for column in found}
        found += [c for c in chosen.further(self._headers) if c.property not in given]
        if not chosen.saved:
            found += self._indented(found, places)
        found += chosen.given_constants({column.property for column in found})
        found += self._constants(found)
        return tuple(found), self._missing({column.property for column in found})

    def _missing(self, given: set[str]) -> tuple[str, ...]:
        """Return the properties that a row needs and no column has."""
        lines = any("." in name for name in given)
        names = []
        for field in self._spec.fields:
            if field.lines:
                inner = [f"{field.name}.{f.name}" for f in field.lines if f.required]
                names += [n for n in inner if n not in given] if lines else [field.name]
            elif self._is_needed(field) and field.name not in given:
                names.append(field.name)
        flag = folder_flag(self._spec)
        return tuple(name for name in names if name != flag)

    def _is_needed(self, field: FieldSpec) -> bool:
        return field.required or _needed_by_rows(field.applies)

    def _column(self, place: int, name: str) -> TableColumn:
        column, lookup, values, separator = self._headers[place], None, {}, "/"
        if saved := self._chosen.saved_column(column, name):
            return saved
        if name == self._spec.chain:
            lookup, separator = self._parent(place)
        elif (field := field_of(self._spec, name)).kind is FieldKind.REFERENCE:
            lookup = BY_CODE
            values = self._unit_values(place, self._codes_of(field.to))
        return TableColumn(name, column, lookup, values, separator=separator)

    def _parent(self, place: int) -> tuple[str, str]:
        """Return how a column names folders: by codes of rows, or by their names."""
        texts = set(self._texts(place))
        codes = set(self._codes_of(self._spec.name))
        is_exported = self._headers[place] == code_header(self._spec.chain)
        if is_exported or (texts and texts <= codes):
            return BY_CODE, "/"
        for separator in _SEPARATORS:
            if any(separator in text.strip(separator) for text in texts):
                return BY_PATH, separator.strip()
        return BY_PATH, "/"

    def _texts(self, place: int) -> Iterable[str]:
        for row in self._sample:
            cell = row.cells[place] if place < len(row.cells) else None
            if isinstance(cell, str) and not is_empty(cell):
                yield cell.strip()

    def _unit_values(self, place: int, codes: Sequence[str]) -> dict[str, Any]:
        """Return the codes of the units that the texts of a column are other names of."""
        known = {code.casefold(): code for code in codes}
        found: dict[str, Any] = {}
        for text in dict.fromkeys(self._texts(place)):
            if text in known.values():
                continue
            word = text.casefold().rstrip(".")
            same = known.get(word) or _same_unit(word, known)
            if same is not None:
                found[text] = same
        return found

    def _indented(
        self, found: list[TableColumn], places: Mapping[int, str]
    ) -> list[TableColumn]:
        """Return the column of folders of a table whose names are indented."""
        spec, given = self._spec, {column.property for column in found}
        if not spec.chain or spec.chain in given:
            return []
        for place in sorted(places):
            depths = [_depth(row, place) for row in self._sample]
            if any(depths) and depths[0] == 0:
                header = self._headers[place]
                return [TableColumn(spec.chain, header, lookup=BY_INDENT)]
        return []

    def _constants(self, found: list[TableColumn]) -> Iterable[TableColumn]:
        """Yield what every row needs and lists don't have: it is no folder, and it is of
        the first kind."""
        spec = self._spec
        flag = folder_flag(spec)
        given = {column.property for column in found}
        indented = any(column.lookup == BY_INDENT for column in found)
        for field in spec.fields:
            chosen_none = field.name in self._chosen.constants
            if field.name in given or chosen_none or not self._is_needed(field):
                continue
            if field.name == flag and not indented:
                yield TableColumn(flag, default=False)
            elif field.kind is FieldKind.CHOICE and field.choices:
                yield TableColumn(field.name, default=field.choices[0])
            elif field.kind is FieldKind.REFERENCE:
                codes = self._codes_of(field.to)
                if len(codes) == 1:
                    yield TableColumn(field.name, default=codes[0])


def _needed_by_rows(applies: Applies | None) -> bool:
    return applies is not None and applies.required and applies.value is False


def _depth(row: TableRow, place: int) -> int:
    cell = row.cells[place] if place < len(row.cells) else None
    return len(cell) - len(cell.lstrip()) if isinstance(cell, str) else 0


def _same_unit(word: str, known: Mapping[str, str]) -> str | None:
    for names in UNITS:
        if word in names:
            return next((known[n] for n in sorted(names) if n in known), None)
    return None
