"""The entries of a report as lines, in the manner of a diff.

``+`` is a new or restored row, ``~`` a changed one, ``-`` a deleted one, ``=`` a kept
one, and ``!`` one that an undo could not revert.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import chain, islice
from typing import Any, Final

from importer import registry
from importer.management.package_place import refusals_of
from importer.management.summary import Out
from importer.package.item_result import ItemResult
from importer.package.printable_text import cut, printable
from importer.package.shapes import Outcome
from importer.package.undo_results import UndoOutcome
from importer.pipeline.report import Report, Results

_SIGNS: Final[dict[str, str]] = {
    Outcome.INSERTED: "+",
    Outcome.UNCHANGED: " ",
    Outcome.RESTORED: "+",
    Outcome.DELETED: "-",
    Outcome.SKIPPED_USER_MODIFIED: "=",
    Outcome.SKIPPED_DRIFT: "=",
    Outcome.SKIPPED_DELETED: "=",
    Outcome.MISSING: "=",
    UndoOutcome.KEPT: "=",
    UndoOutcome.GONE: "=",
    UndoOutcome.BLOCKED: "!",
}
_CHANGED = "~"
_WORDS: Final[dict[str, str]] = {
    Outcome.ADOPTED: "adopted",
    Outcome.RESTORED: "restored",
}
_FIRST = 10
_LONGEST = 300
Texts = dict[str, tuple[str, str]]


def windows(
    results: Results, outcomes: Collection[str]
) -> Iterator[Sequence[ItemResult]]:
    """Yield the entries with one of these outcomes, up to a thousand at a time.

    Only the parts of the report that contain them are read.
    """
    for chunk in results.chunks:
        if any(chunk.counts.get(outcome) for outcome in outcomes):
            yield [one for one in chunk.results() if one.outcome in outcomes]


def print_entries(
    results: Results, outcomes: Collection[str], out: Out, *, file: str
) -> None:
    """Print the entries with one of these outcomes; ``file`` is the package's name."""
    for entries in windows(results, outcomes):
        listed = _Listed(entries, file)
        # A line break inside a value would look like another entry.
        out.write("".join(f"{printable(line)}\n" for line in listed.lines()))


def print_blocked(report: Report, out: Out) -> None:
    """Print the first rows that an undo could not revert, each with the reason."""
    blocked = (UndoOutcome.BLOCKED,)
    found = list(islice(chain.from_iterable(windows(report.items, blocked)), _FIRST))
    for line in _Listed(found, "").lines():
        out.write(f"{printable(line)}\n")
    more = report.counts.get(UndoOutcome.BLOCKED, 0) - len(found)
    if more > 0:
        out.write(f"  … and {more:,} more; --show blocked lists them all.\n")
    if found:
        out.write("\n")


class _Listed:
    """A window of entries as lines, with a constant number of queries per target."""

    def __init__(self, entries: Sequence[ItemResult], file: str) -> None:
        self._entries = entries
        self._file = file
        self._codes = _codes(entries)
        self._changes = _in_words(entries, lambda entry: entry.changes or {})
        self._kept = _in_words(entries, _kept_values)
        self._last = _in_words(entries, _last_values)

    def lines(self) -> Iterator[str]:
        """Yield the lines of the entries, in their order."""
        for number, entry in enumerate(self._entries):
            if entry.outcome is Outcome.FAILED:
                yield from refusals_of(entry, self._file)
            else:
                yield from self._lines(number, entry)

    def _lines(self, number: int, entry: ItemResult) -> Iterator[str]:
        row = f"{entry.target} {self._codes.get(number) or _name(entry)}"
        changes, kept = self._changes[number], self._kept[number]
        word, message = _WORDS.get(entry.outcome, ""), entry.message
        if word or not (changes or kept):
            sign = _SIGNS.get(entry.outcome, _CHANGED)
            told = "" if word or not message else f": {message}"
            yield f"{sign} {row}{f' {word}' if word else ''}{told}"
        for name, (before, after) in changes.items():
            yield f"{_CHANGED} {row} {name} {before} → {after}"
        for name, (here, package) in kept.items():
            last = self._last[number].get(name)
            imported = "" if last is None else f", last imported {last[0]}"
            yield f"= {row} {name} {here} kept, package {package}{imported}{_by_whom(entry)}"


def _name(entry: ItemResult) -> str:
    return entry.name or entry.id or str(entry.row_id)


def _by_whom(entry: ItemResult) -> str:
    """Return who changed a kept row last, as far as it is known."""
    by = entry.kept and entry.kept.by
    return f" (changed by {by})" if by else ""


def _kept_values(entry: ItemResult) -> registry.Changes:
    """Return the kept values of a row, each with that of the package."""
    conflicts = entry.conflicts or {}
    differences = entry.differences or {}
    return {**differences, **{name: pair[1:] for name, pair in conflicts.items()}}


def _is_compared(entry: ItemResult) -> bool:
    values = entry.changes or entry.differences or entry.conflicts
    return bool(values) and entry.row_id is not None


def _last_values(entry: ItemResult) -> registry.Changes:
    return {name: values[:2] for name, values in (entry.conflicts or {}).items()}


def _by_target(
    entries: Sequence[ItemResult], wanted: Callable[[ItemResult], Any]
) -> Iterator[tuple[str, list[int]]]:
    """Yield the numbers of the wanted entries of each target."""
    numbers: dict[str, list[int]] = {}
    for number, entry in enumerate(entries):
        if wanted(entry):
            numbers.setdefault(entry.target, []).append(number)
    yield from numbers.items()


def _codes(entries: Sequence[ItemResult]) -> dict[int, str]:
    """Return the codes of the rows whose values are listed, with one query per
    target."""
    codes: dict[int, str] = {}
    for name, numbers in _by_target(entries, _is_compared):
        target = registry.targets().get(name)
        if target is None or not target.spec.code:
            continue
        keys: list[Any] = [entries[number].row_id for number in numbers]
        rows = target.rows(keys)
        for number, key in zip(numbers, keys, strict=True):
            if key in rows:
                (code,) = target.row_values(rows[key], [target.spec.code])
                codes[number] = str(code or "")
    return codes


def _in_words(
    entries: Sequence[ItemResult], pairs_of: Callable[[ItemResult], registry.Changes]
) -> list[Texts]:
    """Return pairs of values as text; references are codes, looked up together."""
    texts: list[Texts] = [{} for _ in entries]
    for name, numbers in _by_target(entries, pairs_of):
        changes = [pairs_of(entries[number]) for number in numbers]
        labelled = registry.change_words(name, changes)
        for place, number in enumerate(numbers):
            pairs = changes[place]
            words = (
                [(_text(before), _text(after)) for before, after in pairs.values()]
                if labelled is None
                else [(before, after) for _label, before, after in labelled[place]]
            )
            for about, (before, after) in zip(pairs, words, strict=True):
                texts[number][about] = cut(before, _LONGEST), cut(after, _LONGEST)
    return texts


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
