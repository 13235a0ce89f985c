"""The first occurrence of each cause of a run's failures: line, id and name.

They are determined once, at the end of a run, for the listed causes.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from typing import BinaryIO

import msgspec

from importer.package.json_values import read_value
from importer.package.wire_values import as_text
from importer.pipeline.causes import Causes
from importer.pipeline.memory import Memory
from importer.pipeline.ports import Targets

_BLOCK = 1 << 20


def add_first_occurrences(
    causes: Causes, source: BinaryIO, memory: Memory, targets: Targets
) -> None:
    """Add id, name and line of the first object of each cause."""
    found = list(causes.first_objects())
    with suppress(OSError):  # the file is gone; the paths are known anyway
        lines = lines_at(source, (memory.place(number)[0] for _, number in found))
        for cause, number in found:
            cause.first = msgspec.structs.replace(
                cause.first,
                line=lines.get(memory.place(number)[0]),
                id=memory.ids[number] or None,
                name=_name(source, memory, targets, number),
            )


def lines_at(source: BinaryIO, places: Iterable[int]) -> dict[int, int]:
    """Return the line of each byte offset, counted from one, in one pass."""
    found: dict[int, int] = {}
    source.seek(0)
    at, line = 0, 1
    for wanted in sorted(set(places)):
        while at < wanted:
            block = source.read(min(_BLOCK, wanted - at))
            if not block:
                return found
            line += block.count(b"\n")
            at += len(block)
        found[wanted] = line
    return found


def _name(
    source: BinaryIO, memory: Memory, targets: Targets, number: int
) -> str | None:
    """Return code and name of an object, None if it has neither."""
    start, length = memory.place(number)
    source.seek(start)
    try:
        item = read_value(source.read(length).decode())
        spec = targets[memory.steps[memory.step_of(number)].target].spec
    except (ValueError, LookupError):
        return None
    given = (as_text(item.get(key)) for key in dict.fromkeys((spec.code, "name")))
    return " ".join(text for text in given if text) or None
