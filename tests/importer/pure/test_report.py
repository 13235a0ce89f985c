"""The report: every result once, in order, a thousand at a time."""

from __future__ import annotations

from uuid import uuid4

import pytest
from hypothesis import given, strategies as st

from importer.package.item_result import ItemResult
from importer.package.shapes import (
    MISSING_OUTCOMES,
    Diagnostic,
    Outcome,
    Severity,
    error,
)
from importer.pipeline.report import (
    CHUNK,
    MOST_NOTES,
    ReportBuilder,
    Results,
    pack,
    unpack,
)
from tests.drill import effort


def result(number, outcome=Outcome.INSERTED, changes=None):
    return ItemResult(f"Ж{number}", 0, number, "Items", outcome, "", number, changes)


def gathered(count, outcome=lambda n: Outcome.INSERTED):
    chunks = []
    builder = ReportBuilder(chunks.append)
    for number in range(count):
        builder.add(result(number, outcome(number)))
    return builder, chunks


def test_reports_of_earlier_versions_are_read_without_name_and_line():
    (entry,) = unpack(b'[["a",0,1,"Items","Failed","no",7,null,null,null,"ab"]]')
    assert entry.message == "no"
    assert (entry.name, entry.line, entry.kept) == ("", None, None)
    (earlier,) = unpack(b'[["a",null,null,"Items","Reverted","",7,null]]')
    assert earlier.wire()["name"] is None


@pytest.mark.parametrize("count", [0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 3 * CHUNK + 7])
def test_every_result_comes_back_once_and_in_order(count):
    builder, chunks = gathered(count)
    report = builder.report(uuid4(), "Completed", dry_run=False)
    assert len(report.items) == count
    assert [one.index for one in report.items] == list(range(count))
    assert report.counts["Inserted"] == count
    assert list(report.counts) == [
        outcome.value for outcome in Outcome if outcome not in MISSING_OUTCOMES
    ]
    assert [chunk.size for chunk in chunks] == [
        min(CHUNK, count - first) for first in range(0, count, CHUNK)
    ]


@effort(100)
@given(
    sizes=st.lists(st.integers(1, 5), max_size=5),
    start=st.integers(-30, 30),
    stop=st.integers(-30, 30),
)
def test_a_page_equals_the_slice_of_a_list(sizes, start, stop):
    chunks, flat = [], []
    for size in sizes:
        part = [result(len(flat) + n) for n in range(size)]
        chunks.append(pack(len(flat), part))
        flat += part
    results = Results(chunks)
    assert results[start:stop] == flat[start:stop]
    assert results[start:stop:2] == flat[start:stop:2]
    if -len(flat) <= start < len(flat):
        assert results[start] == flat[start]
    else:
        with pytest.raises(IndexError):
            results[start]


def test_the_results_of_one_outcome_are_found_without_the_others():
    def outcome(number):
        return Outcome.FAILED if number % 700 == 0 else Outcome.UNCHANGED

    builder, _ = gathered(2500, outcome)
    items = builder.report(uuid4(), "Completed", dry_run=True).items
    found = [one.index for one in items.with_outcome(Outcome.FAILED)]
    assert found == [0, 700, 1400, 2100]
    assert list(items.with_outcome(Outcome.ADOPTED)) == []


def test_stored_changes_are_read_back_unchanged():
    changes = {"name": ["a", "Ж"], "parentId": [None, 5], "price": ["1.5000", None]}
    chunk = pack(0, [result(0, Outcome.UPDATED, changes)])
    assert chunk.results()[0].changes == changes
    assert chunk.counts == {"Updated": 1}


def test_only_errors_and_failures_count_as_errors():
    """IMP-131, IMP-132, OPEN-40."""
    builder = ReportBuilder()
    builder.say(Diagnostic(Severity.WARNING, "$", "$: well"))
    builder.say(Diagnostic(Severity.INFO, "$", "$: so"))
    builder.add(result(0, Outcome.SKIPPED_DRIFT))
    assert not builder.has_errors
    builder.say(error("$", "no"))
    assert builder.has_errors
    other = ReportBuilder()
    other.add(result(0, Outcome.FAILED))
    assert other.has_errors


def test_too_many_diagnostics_are_counted_instead_of_listed():
    builder = ReportBuilder()
    for number in range(MOST_NOTES + 1234):
        path = f"steps[0].items[{number}]"
        note = Diagnostic(Severity.WARNING, path, f"{path}: {number} is odd")
        builder.say(note)
    builder.say(error("$", "the database failed"))
    told = builder.diagnostics()
    assert len(told) == MOST_NOTES + 2
    assert told[0].message == "$: the database failed"
    assert told[-1].severity is Severity.INFO
    assert "1,234" in told[-1].message
    assert builder.has_errors


def test_equal_notes_are_one_with_a_count():
    builder = ReportBuilder()
    for number in range(3):
        path = f"steps[0].items[{number}]"
        builder.say(Diagnostic(Severity.WARNING, path, f"{path}: gone"))
    (told,) = builder.diagnostics()
    assert told.path == "steps[0].items[0]"
    assert told.message == "steps[0].items[0]: gone (in 3 objects)"


def test_an_error_beyond_the_listed_ones_is_still_an_error():
    builder = ReportBuilder()
    for number in range(MOST_NOTES):
        path = f"steps[0].items[{number}]"
        builder.say(Diagnostic(Severity.WARNING, path, f"{path}: gone"))
    builder.say(error("steps[1].items[0]", "is bad"))
    assert builder.has_errors
