"""The second reading of objects, at the places that the first reading stored."""

from __future__ import annotations

from typing import BinaryIO

from importer.package import paths
from importer.package.earlier_names import WAS
from importer.package.hashing import source_hash
from importer.package.json_values import read_value
from importer.package.shapes import PackageError, error
from importer.package.translation import gettext, gettext_noop
from importer.pipeline.memory import Memory
from importer.pipeline.values import Entry, ObjectContent

_CHANGED = gettext_noop("the file changed while it was read; run it again")


def reread(
    source: BinaryIO, memory: Memory, entries: list[Entry]
) -> list[ObjectContent]:
    """Return the contents of objects; raise PackageError if the source has changed."""
    found = []
    for entry in entries:
        start, length = memory.place(entry.number)
        source.seek(start)
        try:
            item = read_value(source.read(length).decode())
            item.pop(WAS, None)
            same = source_hash(item) == entry.source_hash
        except Exception:  # noqa: BLE001 - it was valid JSON in the first reading
            same = False
        if not same:
            raise PackageError(error(paths.WHOLE, gettext(_CHANGED)))
        found.append(ObjectContent(entry, item))
    return found
