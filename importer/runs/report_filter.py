"""Pick a page of a report's entries, opening only the chunks it may lie in."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Protocol, TypeVar

import msgspec

from importer.package.shapes import ItemResult
from importer.pipeline.report import Counts, unpack

_MOST_AT_ONCE = 32


class Head(Protocol):
    """What a chunk holds, known without opening it."""

    @property
    def size(self) -> int:
        """Return how many entries it holds."""

    @property
    def counts(self) -> Counts:
        """Return how many of each outcome."""


class ReportFilter(msgspec.Struct, frozen=True):
    """Which entries of a report are wanted, and which of those.

    ``search`` is looked for in id, target and message, whatever the case; ``limit`` is
    None where all are wanted.
    """

    outcome: str = ""
    search: str = ""
    offset: int = 0
    limit: int | None = None

    def most_in(self, head: Head) -> int:
        """Return how many entries of a chunk may be wanted, at most."""
        return head.counts.get(self.outcome, 0) if self.outcome else head.size


H = TypeVar("H", bound=Head)
Load = Callable[[Sequence[H]], Iterable[bytes]]


def narrowed(
    heads: Iterable[H], load: Load[H], wanted: ReportFilter
) -> Iterator[ItemResult]:
    """Yield the wanted entries in their order; ``load`` brings the chunks' data."""
    offset = wanted.offset
    opened: list[H] = []
    for head in heads:
        most = wanted.most_in(head)
        if not wanted.search and not opened and most <= offset:
            offset -= most  # the page begins behind this chunk
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
        # A page mostly lies in one chunk or two; a search may go through all.
        for data in load(heads[start : start + at_once]):
            yield from matches(zlib.decompress(data))
        start += at_once
        at_once = min(2 * at_once, _MOST_AT_ONCE)


def _matcher(wanted: ReportFilter) -> Callable[[bytes], Iterable[ItemResult]]:
    outcome, needle = wanted.outcome, wanted.search.casefold()
    # As a chunk has it, so that most chunks are passed over without being decoded.
    written = msgspec.json.encode(wanted.search).decode()[1:-1].casefold()

    def matches(data: bytes) -> Iterable[ItemResult]:
        if needle and written not in data.decode().casefold():
            return
        for result in unpack(data):
            if outcome and result.outcome != outcome:
                continue
            if needle and not _mentions(result, needle):
                continue
            yield result

    return matches


def _mentions(result: ItemResult, needle: str) -> bool:
    texts = (result.id, result.message, result.target)
    return any(needle in text.casefold() for text in texts)
