"""Filtering and paging of a report's entries, reading only the chunks that may contain
them."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Protocol, TypeVar

import msgspec

from importer.package.item_result import ItemResult
from importer.package.shapes import Outcome
from importer.pipeline.report import Counts, unpack

_MOST_AT_ONCE = 32


class Head(Protocol):
    """The counts of a chunk, known without reading it."""

    @property
    def size(self) -> int:
        """Return the number of entries in the chunk."""

    @property
    def counts(self) -> Counts:
        """Return the number of entries with each outcome."""


class ReportFilter(msgspec.Struct, frozen=True):
    """The filter and range of wanted entries.

    ``search`` is a case-insensitive text in id, target and message; ``limit`` is None
    for all entries. Without ``unchanged``, unchanged objects are left out.
    """

    outcome: str = ""
    search: str = ""
    offset: int = 0
    limit: int | None = None
    unchanged: bool = True

    def most_in(self, head: Head) -> int:
        """Return the maximum number of wanted entries in a chunk."""
        if self.outcome:
            return head.counts.get(self.outcome, 0)
        left_out = 0 if self.unchanged else head.counts.get(Outcome.UNCHANGED, 0)
        return head.size - left_out


H = TypeVar("H", bound=Head)
Load = Callable[[Sequence[H]], Iterable[bytes]]


def filtered(
    heads: Iterable[H], load: Load[H], wanted: ReportFilter
) -> Iterator[ItemResult]:
    """Yield the wanted entries in order; ``load`` returns the data of chunks."""
    offset = wanted.offset
    opened: list[H] = []
    for head in heads:
        most = wanted.most_in(head)
        if not wanted.search and not opened and most <= offset:
            offset -= most  # the page begins after this chunk
        elif most:
            opened.append(head)
    found = _found(opened, load, wanted)
    return islice(
        found, offset, None if wanted.limit is None else offset + wanted.limit
    )


def _found(heads: list[H], load: Load[H], wanted: ReportFilter) -> Iterator[ItemResult]:
    matches = _matcher(wanted)
    at_once, start = 1, 0
    while start < len(heads):
        # A page mostly needs one or two chunks; a search may need all.
        for data in load(heads[start : start + at_once]):
            yield from matches(zlib.decompress(data))
        start += at_once
        at_once = min(2 * at_once, _MOST_AT_ONCE)


def _matcher(wanted: ReportFilter) -> Callable[[bytes], Iterable[ItemResult]]:
    outcome, needle = wanted.outcome, wanted.search.casefold()
    # In the encoding of chunks, so that most are skipped without being decoded.
    written = msgspec.json.encode(wanted.search).decode()[1:-1].casefold()

    def matches(data: bytes) -> Iterable[ItemResult]:
        if needle and written not in data.decode().casefold():
            return
        for result in unpack(data):
            if outcome and result.outcome != outcome:
                continue
            if not wanted.unchanged and result.outcome is Outcome.UNCHANGED:
                continue
            if needle and not _mentions(result, needle):
                continue
            yield result

    return matches


def _mentions(result: ItemResult, needle: str) -> bool:
    texts = (result.id, result.message, result.target)
    return any(needle in text.casefold() for text in texts)
