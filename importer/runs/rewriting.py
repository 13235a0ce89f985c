"""The reconstruction of entries that a dead run had not stored yet, from the marks of
rows and from the change history."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from itertools import islice

import msgspec
from django.utils.translation import gettext as _

from importer import registry
from importer.models import ImportRun
from importer.package.hashing import MISSING_HASH
from importer.package.item_result import ItemResult
from importer.package.shapes import Outcome
from importer.pipeline.report import CHUNK, Chunk, pack
from importer.pipeline.values import ExistingRow

WRITTEN = (
    Outcome.INSERTED,
    Outcome.UPDATED,
    Outcome.ADOPTED,
    Outcome.RESTORED,
    Outcome.DELETED,
)


class RewrittenRow(msgspec.Struct, frozen=True):
    """A row that a run wrote, according to its mark."""

    at: datetime
    target: str
    key: str
    row: ExistingRow

    @property
    def place(self) -> tuple[str, int]:
        """Return the target and the key of the row."""
        return self.target, self.row.row_id


def lost_entries(run: ImportRun, chunks: Sequence[Chunk]) -> list[Chunk]:
    """Return entries for the rows that a run wrote but its chunks don't contain.

    They are in the order of writing.
    """
    stored = {
        (entry.target, entry.row_id)
        for chunk in chunks
        if any(chunk.counts.get(outcome) for outcome in WRITTEN)
        for entry in chunk.results()
        if entry.outcome in WRITTEN
    }
    lost = [row for row in _written(run) if row.place not in stored]
    lost.sort(key=lambda row: row.at)
    entries = _entries(run, lost)
    first = sum(chunk.size for chunk in chunks)
    packed = []
    while some := list(islice(entries, CHUNK)):
        packed.append(pack(first, some))
        first += len(some)
    return packed


def _written(run: ImportRun) -> Iterator[RewrittenRow]:
    """Yield the rows with marks of the run's package that are not older than the
    run."""
    for target in registry.targets().values():
        marks = target.model._base_manager.filter(
            import_source=run.package, import_imported_at__gte=run.started_at
        ).order_by()
        at = dict(marks.values_list("import_key", "import_imported_at"))
        # Several targets may share a table; each finds its own rows.
        seen = target.marked(run.package, list(at)) if at else {}
        for key, row in seen.items():
            yield RewrittenRow(at[key], target.name, key, row)


def _entries(run: ImportRun, lost: Sequence[RewrittenRow]) -> Iterator[ItemResult]:
    if not lost:
        return
    known = registry.outcomes_of(run.run_id)
    message = _(
        "Written just before the process ended; the row is stored, but its place in "
        "the package is not known."
    )
    earlier = ImportRun.objects.real().filter(
        package=run.package, started_at__lt=run.started_at
    )
    is_first = not earlier.exists()
    for row in lost:
        outcome = None if known is None else known.get(row.place)
        version = row.row.version
        if row.row.deleted and row.row.source_hash == MISSING_HASH:
            outcome = Outcome.DELETED
        elif outcome is None:
            # A new row would have an event.
            is_new = is_first if version is None else known is None and version == 1
            outcome = Outcome.INSERTED if is_new else Outcome.UPDATED
        row_id = row.row.row_id
        name = row.row.name
        yield ItemResult(
            row.key, None, None, row.target, outcome, message, row_id, name=name
        )
