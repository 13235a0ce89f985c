"""The first rows of a table, read as a proposal reads them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Any

from importer import registry
from importer.package.fields import FieldKind
from importer.tables.cells import Cell, ErrorCell, as_text, is_empty, plain
from importer.tables.conversion import ConvertedRow, RowConverter, places_of
from importer.tables.csv_rows import TableRow
from importer.tables.description import field_of
from importer.tables.proposal import Proposal
from importer.tables.reading import cell_format

_ROWS = 5
_DECIMAL = FieldKind.DECIMAL


def sample_rows(proposal: Proposal, count: int = _ROWS) -> list[list[Any]]:
    """Return the first rows, with a value for each header.

    Cells of a column that means a property are values of the property, as far as they
    can be; the others are texts.
    """
    rows = sample_cells(proposal, count)
    return [[value for value, _error in cells] for _line, cells in rows]


def sample_cells(
    proposal: Proposal, count: int = _ROWS
) -> list[tuple[int, list[tuple[Any, str]]]]:
    """Return the lines of the first rows, each with the value of each cell as in
    ``sample_rows``, and its error."""
    described = proposal.description
    spec = registry.targets()[described.target].spec
    format_ = cell_format(proposal.how)
    convert = RowConverter(spec, described, proposal.headers, format_)
    # The first property of a column, if it means several.
    names = dict(reversed(places_of(described.columns, proposal.headers)))
    properties = [names.get(place, "") for place in range(len(proposal.headers))]
    decimals = {n for n in names.values() if field_of(spec, n).kind is _DECIMAL}
    return [
        (row.line, list(_values(row, convert(row), properties, decimals)))
        for row in proposal.sample[:count]
    ]


def _values(
    row: TableRow,
    converted: ConvertedRow,
    properties: Sequence[str],
    decimals: Collection[str],
) -> Iterator[tuple[Any, str]]:
    for place, name in enumerate(properties):
        cell = row.cells[place] if place < len(row.cells) else None
        inner = name.partition(".")[2]
        values = converted.line_values if inner else converted.values
        errors = converted.line_errors if inner else converted.errors
        own = inner or name
        if is_empty(cell):
            yield None, ""
        elif own not in values:
            yield _text(cell), errors.get(own, "")
        elif name in decimals:
            yield plain(values[own]), ""
        else:
            value = values[own]
            # A reference has its code alone.
            is_code = isinstance(value, dict)
            yield (next(iter(value.values())) if is_code else value), ""


def _text(cell: Cell) -> str:
    return cell.text if isinstance(cell, ErrorCell) else as_text(cell)
