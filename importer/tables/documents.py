"""The documents of a table: the rows that are equal in some properties are the lines of
one."""

from __future__ import annotations

import tempfile
from array import array
from collections.abc import Iterable, Iterator
from decimal import Decimal
from typing import Any

import msgspec

from importer.package.fields import TargetSpec
from importer.package.translation import gettext as _
from importer.tables.conversion import ConvertedRow, RowConverter, identity, nameless
from importer.tables.csv_rows import TableRow
from importer.tables.description import TableDescription
from importer.tables.objects import RowIdentities, TableObject

_IN_MEMORY = 1 << 22
_LAST = 0xFFFFFFFF
_encode = msgspec.json.Encoder(decimal_format="number").encode
_decode = msgspec.json.Decoder(ConvertedRow, float_hook=Decimal).decode


class Documents:
    """The rows of a table by document.

    The rows of a document may be anywhere in the table, so the values wait in a
    temporary file; in memory are a few numbers for each row.
    """

    def __init__(
        self, spec: TargetSpec, description: TableDescription, convert: RowConverter
    ) -> None:
        self._array = spec.arrays[0]
        self._target = description.target
        self._group_by = description.group_by
        self._identities = RowIdentities(description)
        self._convert = convert
        self._places = array("Q")
        self._lengths = array("I")
        self._lines = array("I")
        self._next = array("I")
        self._heads = array("I")

    def objects(self, rows: Iterable[TableRow]) -> Iterator[TableObject]:
        """Yield a document for each group of rows, in the order of their first rows."""
        with tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY) as spool:
            self._gather(rows, spool)
            for number, head in enumerate(self._heads):
                following = number + 1
                before = None
                if following < len(self._heads):
                    before = self._lines[self._heads[following]]
                yield self._document(spool, head, before)

    def _gather(self, rows: Iterable[TableRow], spool: Any) -> None:
        """Keep the values of all rows, and link those of one document."""
        last: dict[int, int] = {}
        current: int | None = None
        for number, row in enumerate(rows):
            converted = self._convert(row)
            text = _encode(converted)
            self._places.append(spool.tell())
            self._lengths.append(len(text))
            self._lines.append(row.line)
            self._next.append(_LAST)
            spool.write(text)
            if not (converted.is_continued and current is not None):
                found = identity(self._target, self._group_by, converted)
                # A row without its group is a document that fails alone.
                current = hash(found or nameless(self._target, row.line))
            if current in last:
                self._next[last[current]] = number
            else:
                self._heads.append(number)
            last[current] = number

    def _document(self, spool: Any, head: int, before: int | None) -> TableObject:
        first = self._row(spool, head)
        lines: list[dict[str, Any]] = []
        rows: list[int] = []
        errors: dict[str, str] = dict(first.errors)
        number, row = head, first
        while True:
            if not row.is_continued:
                self._compare(first, row, errors)
            if row.has_line:
                for name, said in row.line_errors.items():
                    errors[f"{self._array}[{len(lines)}].{name}"] = said
                lines.append(row.line_values)
                rows.append(row.line)
            number = self._next[number]
            if number == _LAST:
                break
            row = self._row(spool, number)
        whole = msgspec.structs.replace(
            first, values={**first.values, self._array: lines}, errors=errors
        )
        together = before is None or row.line < before
        item = self._identities.item_of(whole)
        return TableObject(first.line, item, tuple(rows) if together else ())

    def _compare(
        self, first: ConvertedRow, row: ConvertedRow, errors: dict[str, str]
    ) -> None:
        """Note the properties of a document that its rows don't agree about."""
        for name, said in row.errors.items():
            errors.setdefault(name, said)
        for name, value in row.values.items():
            if value != first.values.get(name) and name not in errors:
                message = _("line %(line)s of the same document has another value")
                errors[name] = message % {"line": row.line}

    def _row(self, spool: Any, number: int) -> ConvertedRow:
        spool.seek(self._places[number])
        return _decode(spool.read(self._lengths[number]))
