"""Read objects a second time, by the places the first reading remembered."""

from __future__ import annotations

from typing import BinaryIO

from importer.package import paths
from importer.package.hashing import source_hash
from importer.package.json_stream import read_value
from importer.package.shapes import PackageError, error
from importer.package.words import gettext, gettext_noop
from importer.pipeline.memory import Memory
from importer.pipeline.values import Entry, Visited

_CHANGED = gettext_noop("the file changed while it was read; run it again")


def visit(source: BinaryIO, memory: Memory, entries: list[Entry]) -> list[Visited]:
    """Return the content of objects; PackageError if the source is another by now."""
    found = []
    for entry in entries:
        start, length = memory.place(entry.number)
        source.seek(start)
        try:
            item = read_value(source.read(length).decode())
            same = source_hash(item) == entry.source_hash
        except Exception:  # noqa: BLE001 - whatever it is, it was JSON a moment ago
            same = False
        if not same:
            raise PackageError(error(paths.WHOLE, gettext(_CHANGED)))
        found.append(Visited(entry, item))
    return found
