"""The comparison of a row's lines before and after a change: which were added, removed
or changed."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from itertools import zip_longest
from typing import Any, NamedTuple

# Beyond these, lines are compared by their position: to find moved ones takes too long.
_MOST_MATCHED = 500


class LineChange(NamedTuple):
    """A line that changed: its number, and its values before and after, None for a line
    that was added or removed."""

    number: int
    before: Mapping[str, Any] | None
    after: Mapping[str, Any] | None


def line_changes(
    before: Sequence[Mapping[str, Any]], after: Sequence[Mapping[str, Any]]
) -> Iterator[LineChange]:
    """Yield the lines that differ, in order. Lines that only moved to another position,
    because others were added or removed, don't."""
    for start, end, new_start, new_end in _replaced(before, after):
        pairs = zip_longest(before[start:end], after[new_start:new_end])
        for place, (old, new) in enumerate(pairs):
            number = (start if new is None else new_start) + place + 1
            yield LineChange(number, old, new)


def _replaced(
    before: Sequence[Any], after: Sequence[Any]
) -> Iterator[tuple[int, int, int, int]]:
    """Yield the ranges of lines before and after that replace each other."""
    if max(len(before), len(after)) <= _MOST_MATCHED:
        old_texts, new_texts = (
            [json.dumps(line, sort_keys=True) for line in each]
            for each in (before, after)
        )
        matcher = SequenceMatcher(None, old_texts, new_texts, autojunk=False)
        for kind, *ranges in matcher.get_opcodes():
            if kind != "equal":
                start, end, new_start, new_end = ranges
                yield start, end, new_start, new_end
        return
    for place, (old, new) in enumerate(zip_longest(before, after)):
        if old != new:
            first, second = (min(place, len(each)) for each in (before, after))
            yield (
                first,
                first + (old is not None),
                second,
                second + (new is not None),
            )
