"""Find the row of an object: by its mark for a whole window, by match one by one."""

from __future__ import annotations

from typing import Any

from importer.package.shapes import ObjectError, Problem
from importer.package.words import gettext as _
from importer.pipeline.memory import Memory
from importer.pipeline.ports import Stale, Target
from importer.pipeline.values import Entry, Sighting
from importer.pipeline.window import Window


def entries_of(memory: Memory, numbers: range) -> list[Entry]:
    """Return the objects of a window as they were remembered."""
    if not numbers:
        return []
    first = memory.first(memory.step_of(numbers.start))
    ids, source_hash = memory.ids, memory.source_hash
    return [Entry(n, n - first, ids[n], source_hash(n)) for n in numbers]


def locate_by_mark(
    target: Target, memory: Memory, source: str, entries: list[Entry]
) -> dict[str, Sighting]:
    """Return what carries the objects' marks, and remember the keys of the rows."""
    seen = target.marked(source, [entry.id for entry in entries if entry.id])
    if seen:
        for entry in entries:
            sighting = seen.get(entry.id)
            if sighting is not None:
                memory.set_row(entry.number, sighting.row_id)
    return seen


def match_key(
    target: Target, match: tuple[str, ...], values: dict[str, Any]
) -> tuple[Any, ...] | None:
    """Return an object's values in the match properties, None if one is empty.

    An empty or invalid value matches nothing; validation has the say on it later.
    """
    key = tuple(target.typed(name, values.get(name)) for name in match)
    return None if any(value is None or value == "" for value in key) else key


class Unforeseen(Exception):
    """Say that an object refers to what was not known when its window was loaded."""


def locate_by_match(
    target: Target, window: Window, match: tuple[str, ...], key: tuple[Any, ...]
) -> Sighting | None:
    """Return the one unmarked row that matches; several are an error (OPEN-09).

    Raises Unforeseen where the window was not asked for such rows, Stale where the row
    was erased meanwhile.
    """
    spec = target.spec
    if not window.foresaw(key):
        named = [(spec.field(n).to, v) for n, v in zip(match, key, strict=True)]
        if any(to and window.is_new(to, row_id) for to, row_id in named):
            return None
        raise Unforeseen
    found = window.candidates(spec.name, key)
    if not found:
        return None
    if len(found) > 1:
        message = _("%(count)s rows of %(target)s match; it must be one") % {
            "count": len(found),
            "target": spec.name,
        }
        raise ObjectError([Problem("", message, "ambiguous")])
    row = window.row(spec.name, found[0])
    if row is None:
        raise Stale
    submitted = (spec.submitted,) if spec.submitted else ()
    return Sighting(
        found[0],
        version=target.version(row),
        marked=False,
        submitted=any(target.row_values(row, submitted)),
    )
