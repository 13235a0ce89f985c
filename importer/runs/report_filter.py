"""Filtering and paging of a report's entries, reading only the chunks that may contain
them."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, Protocol, TypeVar

import msgspec

from importer.package.item_result import ItemResult
from importer.package.shapes import KEPT, Outcome
from importer.pipeline.report import Counts, Steps, unpack

_MOST_AT_ONCE = 32


class Head(Protocol):
    """The counts of a chunk, known without reading it."""

    @property
    def size(self) -> int:
        """Return the number of entries in the chunk."""

    @property
    def counts(self) -> Counts:
        """Return the number of entries with each outcome."""

    @property
    def steps(self) -> Steps:
        """Return the same for each step."""


class ReportFilter(msgspec.Struct, frozen=True):
    """The filter and range of wanted entries.

    ``search`` is a text, ignoring case, in id, name, target or message, in a difference
    or conflict, or in the name of who changed a kept row; or it is the line. ``limit``
    is None for all entries. ``step`` is a ``step_key``. Without ``unchanged``, unchanged
    objects are left out. With ``kept``, only rows that kept values.
    """

    outcome: str = ""
    search: str = ""
    offset: int = 0
    limit: int | None = None
    unchanged: bool = True
    step: str = ""
    kept: bool = False

    @property
    def counts_exactly(self) -> bool:
        """Return whether the counts of a chunk tell how many entries are wanted."""
        return not (self.search or self.kept)

    def most_in(self, head: Head) -> int:
        """Return the maximum number of wanted entries in a chunk."""
        counts, size = head.counts, head.size
        if self.step:
            counts = head.steps.get(self.step, {})
            size = sum(counts.values())
        if self.outcome:
            return counts.get(self.outcome, 0)
        if self.kept:
            return sum(counts.get(one, 0) for one in (*KEPT, Outcome.UPDATED))
        return size - (0 if self.unchanged else counts.get(Outcome.UNCHANGED, 0))


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
        if wanted.counts_exactly and not opened and most <= offset:
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
    as_bytes = written.encode()

    def matches(data: bytes) -> Iterable[ItemResult]:
        # ASCII is compared as it is: decoding takes as long as comparing.
        if needle and (
            as_bytes not in data.lower()
            if data.isascii()
            else written not in data.decode().casefold()
        ):
            return
        for result in unpack(data):
            if outcome and result.outcome != outcome:
                continue
            if wanted.kept and not result.is_kept:
                continue
            if wanted.step and result.step_key != wanted.step:
                continue
            if not wanted.unchanged and result.outcome is Outcome.UNCHANGED:
                continue
            if needle and not _mentions(result, needle):
                continue
            yield result

    return matches


def _mentions(result: ItemResult, needle: str) -> bool:
    texts = (result.id, result.name, result.message, result.target)
    if any(needle in text.casefold() for text in texts):
        return True
    # A part of a line number would be found by chance.
    return needle == str(result.line) or any(
        needle in text.casefold() for text in _told_of_row(result)
    )


def _told_of_row(result: ItemResult) -> Iterator[str]:
    """Yield what a report tells of a row that kept values.

    Numbers that aren't texts are left out: most are keys, which people don't see.
    """
    if result.kept is not None and result.kept.by is not None:
        yield result.kept.by
    for told in (result.differences, result.conflicts):
        yield from _texts(list((told or {}).values()))


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list | dict):
        for part in value.values() if isinstance(value, dict) else value:
            yield from _texts(part)
