"""The results of a run, compressed in chunks of a thousand."""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, overload
from uuid import UUID

import msgspec

from importer.package.item_result import ItemResult, step_key
from importer.package.shapes import MISSING_OUTCOMES, Diagnostic, Outcome, Severity
from importer.package.translation import ngettext
from importer.package.undo_results import UndoOutcome, UndoResult
from importer.pipeline.causes import Cause, Causes, counted

CHUNK = 1000
MOST_NOTES = 1000
Counts = dict[str, int]
Steps = dict[str, Counts]
"""The counts of each step, by its ``step_key``."""
_encode = msgspec.json.Encoder(decimal_format="string").encode
_decode = msgspec.json.Decoder(list[ItemResult]).decode
_decode_undone = msgspec.json.Decoder(list[UndoResult]).decode
Outcomes = Iterable[Outcome] | Iterable[UndoOutcome]


class Chunk(msgspec.Struct, frozen=True):
    """Up to a thousand compressed results, with their counts, also by step."""

    first: int
    size: int
    counts: Counts
    data: bytes
    steps: Steps = {}

    def results(self) -> Sequence[ItemResult]:
        """Return the results."""
        return unpack_chunk(self.data)


def pack(first: int, results: list[ItemResult]) -> Chunk:
    """Compress results into a chunk."""
    counts: Counts = {}
    steps: Steps = {}
    tally = Counter((one.step, one.target, one.outcome) for one in results)
    for (step, target, outcome), count in tally.items():
        counts[outcome.value] = counts.get(outcome.value, 0) + count
        steps.setdefault(step_key(step, target), {})[outcome.value] = count
    data = zlib.compress(_encode(results), 1)
    return Chunk(first, len(results), counts, data, steps)


def added_up(counts_of_chunks: Iterable[Steps]) -> Steps:
    """Return the counts of each step in several chunks."""
    total: Steps = {}
    for steps in counts_of_chunks:
        for key, counts in steps.items():
            known = total.setdefault(key, {})
            for outcome, count in counts.items():
                known[outcome] = known.get(outcome, 0) + count
    return total


def no_counts(outcomes: Outcomes = Outcome) -> Counts:
    """Return zero for every outcome of an object or of an undo (OPEN-38)."""
    return {o.value: 0 for o in outcomes if o not in MISSING_OUTCOMES}


def unpack(data: bytes) -> Sequence[ItemResult]:
    """Return the results of a chunk's text, which all are of one kind."""
    try:
        return _decode(data)
    except msgspec.ValidationError:
        return _decode_undone(data)


def unpack_chunk(data: bytes) -> Sequence[ItemResult]:
    """Return the results of a compressed chunk."""
    return unpack(zlib.decompress(data))


class Results(Sequence[ItemResult]):
    """The results of a run, read one chunk at a time."""

    def __init__(self, chunks: tuple[Chunk, ...]) -> None:
        self.chunks = chunks

    def __len__(self) -> int:
        return sum(chunk.size for chunk in self.chunks)

    def __iter__(self) -> Iterator[ItemResult]:
        for chunk in self.chunks:
            yield from chunk.results()

    @overload
    def __getitem__(self, index: int) -> ItemResult: ...
    @overload
    def __getitem__(self, index: slice) -> list[ItemResult]: ...
    def __getitem__(self, index: int | slice) -> ItemResult | list[ItemResult]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        place = index if index >= 0 else len(self) + index
        for chunk in self.chunks:
            if chunk.first <= place < chunk.first + chunk.size:
                return chunk.results()[place - chunk.first]
        raise IndexError(index)

    def with_outcome(self, outcome: str) -> Iterator[ItemResult]:
        """Yield the results of one outcome, reading only chunks that contain it."""
        for chunk in self.chunks:
            if chunk.counts.get(outcome):
                yield from (r for r in chunk.results() if r.outcome == outcome)


class Report(msgspec.Struct, frozen=True):
    """The report of a run (IMP-126 to IMP-132, OPEN-37)."""

    run_id: UUID
    status: str
    dry_run: bool
    counts: Counts
    items: Results
    problems: tuple[Cause, ...]
    diagnostics: tuple[Diagnostic, ...]
    has_errors: bool
    conflicts: int = 0


class ReportBuilder:
    """The results and diagnostics of a run so far."""

    def __init__(
        self,
        flushed: Callable[[Chunk], None] = lambda chunk: None,
        outcomes: Outcomes = Outcome,
    ) -> None:
        self.counts = no_counts(outcomes)
        self.done = 0
        # How many written rows kept values of users because of conflicts.
        self.conflicts = 0
        self._flushed = flushed
        self._waiting: list[ItemResult] = []
        self._chunks: list[Chunk] = []
        self.causes = Causes()
        self._notes: dict[tuple[Severity, str], list[Any]] = {}
        self._left_out = 0
        self._errors = False

    def count_missing(self) -> None:
        """Count the rows whose objects the file no longer has, too."""
        self.counts |= {outcome.value: 0 for outcome in MISSING_OUTCOMES}

    def add(self, result: ItemResult) -> None:
        """Add the result of one object."""
        self.counts[result.outcome] += 1
        self.done += 1
        self._waiting.append(result)
        if len(self._waiting) >= CHUNK:
            self.flush()

    def add_all(self, outcome: Outcome, results: list[ItemResult]) -> None:
        """Add the results of objects that have the same outcome."""
        self.counts[outcome] += len(results)
        added = 0
        while added < len(results):
            room = CHUNK - len(self._waiting)
            part = results[added : added + room]
            self._waiting += part
            self.done += len(part)
            added += len(part)
            if len(self._waiting) >= CHUNK:
                self.flush()

    def say(self, diagnostic: Diagnostic, remedy: str = "") -> None:
        """Add a diagnostic, an error with its remedy; equal ones are counted, and so
        are all beyond a thousand."""
        if diagnostic.severity is Severity.ERROR:
            self._errors = True
            self.causes.whole(diagnostic, remedy)
            return
        reason = diagnostic.message.removeprefix(f"{diagnostic.path}: ")
        known = self._notes.get((diagnostic.severity, reason))
        if known is not None:
            known[1] += 1
        elif len(self._notes) < MOST_NOTES or diagnostic.path == "$":
            self._notes[diagnostic.severity, reason] = [diagnostic, 1]
        else:
            self._left_out += 1

    def flush(self) -> None:
        """Compress the waiting results and pass them on."""
        if self._waiting:
            chunk = pack(self.done - len(self._waiting), self._waiting)
            self._chunks.append(chunk)
            self._waiting = []
            self._flushed(chunk)

    @property
    def has_errors(self) -> bool:
        """Return whether there is an error diagnostic or a failed object (OPEN-41), or
        when a run is undone, a blocked row."""
        refused = (Outcome.FAILED, UndoOutcome.BLOCKED)
        return self._errors or any(self.counts.get(one) for one in refused)

    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """Return each cause and note once, with a note on those left out."""
        found = [cause.diagnostic() for cause in self.causes.listed()]
        for note, count in self._notes.values():
            message = counted(note.message, count)
            found.append(msgspec.structs.replace(note, message=message))
        left_out = self._left_out + self.causes.left_out
        if left_out:
            sentence = ngettext(
                "%(count)s further diagnostic is not listed here; see the "
                "failed objects.",
                "%(count)s further diagnostics are not listed here; see the "
                "failed objects.",
                left_out,
            )
            found.append(Diagnostic(Severity.INFO, "$", sentence))
        return tuple(found)

    def report(self, run_id: UUID, status: str, *, dry_run: bool) -> Report:
        """Return the report so far."""
        self.flush()
        return Report(
            run_id=run_id,
            status=status,
            dry_run=dry_run,
            counts=dict(self.counts),
            items=Results(tuple(self._chunks)),
            problems=self.causes.listed(),
            diagnostics=self.diagnostics(),
            has_errors=self.has_errors,
            conflicts=self.conflicts,
        )
