"""The rows of objects under earlier names: of their package, or their own ``$was``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from msgspec.structs import replace

from importer.package.check import MAX_ID
from importer.package.earlier_names import WAS
from importer.package.key_rules import id_problem
from importer.package.shapes import Header, Problem
from importer.package.translation import gettext as _
from importer.package.wire_values import is_identifier, short
from importer.pipeline.memory import Memory
from importer.pipeline.ports import Target
from importer.pipeline.values import Entry, ExistingRow


def check_earlier_ids(memory: Memory) -> None:
    """Refuse the objects of a package whose ``$was`` is invalid or not theirs alone."""
    taken: dict[str, int] = {}
    for number, (earlier, _hash) in list(memory.earlier_ids.items()):
        problem = _problem(memory, number, earlier, taken)
        if problem is None:
            taken[earlier] = number
        else:
            del memory.earlier_ids[number]
            memory.problems[number] = (*memory.problems.get(number, ()), problem)


def _problem(
    memory: Memory, number: int, earlier: object, taken: Mapping[str, int]
) -> Problem | None:
    if not isinstance(earlier, str) or not (
        0 < len(earlier) <= MAX_ID and is_identifier(earlier)
    ):
        return id_problem(WAS, earlier, MAX_ID, optional=True)
    other = taken.get(earlier, memory.numbers.get(earlier, number))
    if other == number:
        return None
    words = {"id": short(earlier), "other": short(memory.ids[other])}
    if memory.ids[other] == earlier:
        reason = _("%(id)s is the $id of another object of this package")
    else:
        reason = _("%(id)s is given as the earlier $id of %(other)s, too")
    return Problem(WAS, reason % words, "taken", earlier)


def locate_by_earlier_marks(
    target: Target,
    memory: Memory,
    header: Header,
    entries: Iterable[Entry],
    existing: dict[str, ExistingRow],
) -> dict[int, tuple[str, str]]:
    """Add the rows whose marks have earlier names; return what their marks get.

    That is the id and the hash of the object by the key of its row; an object that is
    the same but for its id keeps its row unchanged. It takes one query for each
    earlier name of the package, and one for earlier ids.
    """
    lost = {entry.id: entry for entry in entries if entry.id not in existing}
    moved: dict[int, tuple[str, str]] = {}
    for package in dict.fromkeys((header.package, *header.renamed_from)):
        names = _names(memory, lost, current=package == header.package)
        for name, row in (target.marked(package, list(names)) if names else {}).items():
            entry = names[name]
            if lost.pop(entry.id, None) is not None:
                memory.set_row(entry.number, row.row_id)
                earlier = memory.earlier_ids.get(entry.number)
                if earlier and earlier == (name, row.source_hash):
                    row = replace(row, source_hash=entry.source_hash)
                existing[entry.id] = row
                moved[row.row_id] = (entry.id, row.source_hash)
    return moved


def _names(
    memory: Memory, lost: Mapping[str, Entry], *, current: bool
) -> dict[str, Entry]:
    """Return the objects by the ids that a mark may have."""
    names = {} if current else dict(lost)
    for entry in lost.values():
        earlier = memory.earlier_ids.get(entry.number)
        if earlier is not None:
            names[earlier.id] = entry
    return names
