"""The search for the row of an object: by mark for a whole window, by match one by
one."""

from __future__ import annotations

from typing import Any

from importer.package.shapes import Header, ObjectError, Problem
from importer.package.translation import gettext as _
from importer.pipeline.earlier_rows import locate_by_earlier_marks
from importer.pipeline.memory import Memory
from importer.pipeline.ports import Stale, Target
from importer.pipeline.values import Entry, ExistingRow
from importer.pipeline.window import Window


def entries_of(memory: Memory, numbers: range) -> list[Entry]:
    """Return the entries of a window's objects from memory."""
    if not numbers:
        return []
    first = memory.first(memory.step_of(numbers.start))
    ids = memory.ids[numbers.start : numbers.stop]
    source_hash = memory.source_hash
    return [
        Entry(n, n - first, identifier, source_hash(n))
        for n, identifier in zip(numbers, ids, strict=True)
    ]


def locate_by_mark(
    target: Target,
    memory: Memory,
    header: Header,
    entries: list[Entry],
    *,
    renames: bool = False,
) -> dict[str, ExistingRow]:
    """Return the rows with the objects' marks, and remember their keys.

    Marks may also have earlier names; with ``renames`` they get the present ones.
    """
    keys = [entry.id for entry in entries if entry.id]
    existing = target.marked(header.package, keys)
    if existing:
        for entry in entries:
            row = existing.get(entry.id)
            if row is not None:
                memory.set_row(entry.number, row.row_id)
    if header.renamed_from or memory.earlier_ids:
        moved = locate_by_earlier_marks(target, memory, header, entries, existing)
        memory.moved_marks.update((target.spec.name, row_id) for row_id in moved)
        if moved and renames:
            target.rename_marks(header.package, moved)
    return existing


def match_key(
    target: Target, match: tuple[str, ...], values: dict[str, Any]
) -> tuple[Any, ...] | None:
    """Return an object's values of the match properties, None if one is empty.

    An empty or invalid value matches nothing; validation reports it later.
    """
    key = tuple(target.typed(name, values.get(name)) for name in match)
    return None if any(value is None or value == "" for value in key) else key


class NotLoaded(Exception):
    """The refusal of a look-up that the window wasn't loaded for."""


def locate_by_match(
    target: Target, window: Window, match: tuple[str, ...], key: tuple[Any, ...]
) -> ExistingRow | None:
    """Return the one unmarked row that matches; several are an error (OPEN-09).

    Raise NotLoaded if the window wasn't loaded for such rows, Stale if the row was
    erased after it was loaded.
    """
    spec = target.spec
    if not window.has_loaded(key):
        named = [(spec.field(n).to, v) for n, v in zip(match, key, strict=True)]
        if any(to and window.is_new(to, row_id) for to, row_id in named):
            return None
        raise NotLoaded
    found = window.candidates(spec.name, key)
    if not found:
        return None
    if len(found) > 1:
        message = _(
            "%(count)s rows of %(target)s match, but exactly one must match"
        ) % {
            "count": len(found),
            "target": spec.name,
        }
        raise ObjectError([Problem("", message, "ambiguous")])
    row = window.row(spec.name, found[0])
    if row is None:
        raise Stale
    submitted = (spec.submitted,) if spec.submitted else ()
    return ExistingRow(
        found[0],
        version=target.version(row),
        marked=False,
        taken_from=target.package_of(row),
        submitted=any(target.row_values(row, submitted)),
    )
