"""The first occurrence of each cause of a run's failures: line, id and name.

They are determined once, at the end of a run, for the listed causes.
"""

from __future__ import annotations

from contextlib import suppress
from typing import BinaryIO

import msgspec

from importer.package.json_values import read_value
from importer.package.object_names import object_name
from importer.pipeline.causes import Causes
from importer.pipeline.memory import Memory
from importer.pipeline.ports import Targets


def add_first_occurrences(
    causes: Causes, source: BinaryIO, memory: Memory, targets: Targets
) -> None:
    """Add id, name and line of the first object of each cause."""
    with suppress(OSError):  # the file is gone; the paths are known anyway
        for cause, number in causes.first_objects():
            cause.first = msgspec.structs.replace(
                cause.first,
                line=memory.file_line(number),
                id=memory.ids[number] or None,
                name=_name(source, memory, targets, number),
            )


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
    return object_name(item, spec.code) or None
