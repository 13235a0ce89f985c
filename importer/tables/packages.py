"""Packages made from tables: a temporary file that an ordinary run reads."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import tzinfo
from typing import Any, BinaryIO, cast

from importer import conf, registry
from importer.package.fields import TargetSpec
from importer.package.suggestions import did_you_mean
from importer.package.translation import gettext as _
from importer.package.wire_values import short
from importer.registry import ModelTarget
from importer.tables.chosen import NOTHING_CHOSEN, ChosenTable
from importer.tables.conversion import RowConverter, places_of
from importer.tables.description import TableDescription, TableFormat
from importer.tables.description_check import description_of
from importer.tables.detection import find_table, with_marks
from importer.tables.documents import Documents
from importer.tables.labels import codes_of, labels_of
from importer.tables.mapping import words_of
from importer.tables.objects import row_objects
from importer.tables.package_text import PackageText, columns_of, header_of, step_of
from importer.tables.proposal import Proposal, propose
from importer.tables.reading import TableFile, cell_format

_IN_MEMORY = 1 << 23
_KINDS = ("dictionary", "document")


class UnknownTarget(LookupError):
    """A target that doesn't exist, or that no table can be imported into."""


def table_targets() -> dict[str, ModelTarget]:
    """Return the targets that tables can be imported into, by name."""
    known = registry.targets().items()
    return {name: found for name, found in known if found.spec.kind in _KINDS}


def table_target(name: str) -> ModelTarget:
    """Return a target that tables can be imported into; raise UnknownTarget."""
    known = table_targets()
    if name not in known:
        reason = _("no table can be imported into %(target)s")
        hint = did_you_mean(name, known)
        raise UnknownTarget(reason % {"target": short(name)} + hint)
    return known[name]


def propose_table(
    table: BinaryIO, target: str, chosen: ChosenTable = NOTHING_CHOSEN
) -> Proposal:
    """Return how a table is probably meant; raise TableError if it can't be read, and
    UnknownTarget. What was chosen isn't proposed."""
    found = table_target(target)
    labels = labels_of(found)
    return propose(
        TableFile(table), found.spec, labels=labels, codes_of=codes_of, chosen=chosen
    )


def table_description(given: Any, target: str = "") -> TableDescription:
    """Return the description in a JSON value; raise DescriptionRefused."""
    specs = {name: found.spec for name, found in registry.targets().items()}
    return description_of(given, specs, target)


def write_package(
    table: BinaryIO,
    description: TableDescription,
    out: BinaryIO,
    *,
    zone: tzinfo | None = None,
    placed: bool = False,
) -> TableFormat:
    """Write the package of a table, and return how the table was read.

    ``zone`` is that of times in the table. With ``placed`` the package is made for a run
    whose report has the lines and columns of the table. Raise TableError for a table
    that can't be read.
    """
    spec: TargetSpec = registry.targets()[description.target].spec
    file = TableFile(table)
    found = find_table(file, description, _names(description))
    names = found.headers.names
    placed_columns = places_of(description.columns, names)
    how = with_marks(found, spec, placed_columns)
    convert = RowConverter(spec, description, names, cell_format(how, zone))
    rows = file.rows(how, found.headers)
    if description.group_by:
        objects = Documents(spec, description, convert).objects(rows)
    else:
        objects = row_objects(spec, description, convert, rows)
    header = header_of(description, conf.configuration())
    text = PackageText(out, spec.arrays, placed=placed)
    text.write(header, step_of(description, spec), objects, columns_of(description))
    return how


def _names(description: TableDescription) -> frozenset[str]:
    """Return the headers that a description expects."""
    return frozenset(words_of(c.column) for c in description.columns if c.column)


@contextmanager
def package_of(
    table: BinaryIO, description: TableDescription, *, zone: tzinfo | None = None
) -> Iterator[BinaryIO]:
    """Yield the package of a table for a run, as a temporary file.

    Raise TableError for a table that can't be read.
    """
    folder = conf.setting("TEMP_FOLDER")
    with tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY, dir=folder) as file:
        package = cast("BinaryIO", file)
        write_package(table, description, package, zone=zone, placed=True)
        package.seek(0)
        yield package
