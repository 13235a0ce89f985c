"""The plan in the stored report of a dry run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property

from importer.models import ImportRun
from importer.package.item_result import ItemResult
from importer.package.shapes import Outcome
from importer.pipeline.plan import PlannedWrite
from importer.pipeline.report import unpack_chunk

RowSeal = tuple[str, str, str]


class StoredPlan:
    """The plan in the report of a dry run; one chunk at a time is in memory."""

    def __init__(self, run: ImportRun) -> None:
        self._chunks = run.chunks
        self._heads = list(run.chunks.values_list("first", "size", "counts"))
        self._span = range(0)
        self._entries: list[PlannedWrite] = []

    def of(self, number: int) -> PlannedWrite:
        """Return what is planned for an object: its entry has the same number."""
        if number not in self._span:
            self._load(number)
        return self._entries[number - self._span.start]

    def _load(self, number: int) -> None:
        for first, size, _counts in self._heads:
            if first <= number < first + size:
                results = self._results(first)
                self._entries = [PlannedWrite(one.outcome, one.seal) for one in results]
                self._span = range(first, first + size)
                return
        raise LookupError(number)

    def deletes(self, target: str, key: str, seal: str) -> bool:
        """Return whether a row without an object in the file is to be deleted."""
        return (target, key, seal) in self._deletions

    def reason_to_keep(self, target: str, key: str, seal: str) -> str:
        """Return why such a row is to be kept, an empty text if that isn't planned."""
        return self._kept.get((target, key, seal), "")

    @cached_property
    def _deletions(self) -> frozenset[RowSeal]:
        return frozenset(seal for seal, _one in self._entries_with(Outcome.DELETED))

    @cached_property
    def _kept(self) -> dict[RowSeal, str]:
        found = self._entries_with(Outcome.MISSING)
        return {seal: one.message for seal, one in found}

    def _entries_with(self, outcome: Outcome) -> Iterator[tuple[RowSeal, ItemResult]]:
        for first, _size, counts in self._heads:
            if counts.get(outcome):
                for one in self._results(first):
                    if one.outcome is outcome:
                        yield (one.target, one.id, one.seal), one

    def _results(self, first: int) -> Sequence[ItemResult]:
        data = self._chunks.values_list("data", flat=True).get(first=first)
        return unpack_chunk(bytes(data))
