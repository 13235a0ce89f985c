"""Properties that hold for all packages of documents, whatever users did between two
runs."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given

from importer.pipeline.report import no_counts
from tests.drill import effort
from tests.importer.laws.trade import act, packages_and_acts, stock, stories
from tests.importer.laws.world import rolled_back, told

pytestmark = pytest.mark.django_db
# What a dry run alone says: the run itself knows better.
PLANNED = ("the run will give",)
EXECUTED = ("Inserted", "Updated")


@pytest.fixture
def stocked(run, admin):
    stock(run, admin)


def prepared(run, admin, first, doings):
    run(first, continue_on_error=True)
    act(doings, admin)


def entries(report):
    """Return the entries without keys of rows, which a plan can't know, and without
    what a processor says in advance."""
    return [
        (one.id, one.outcome.value, _message(one), _plain(one.changes), one.differences)
        for one in report.items
    ]


def _message(entry):
    executes = entry.target == "RecalculateCosts" and entry.outcome in EXECUTED
    return "" if executes else entry.message


def _plain(changes):
    return None if changes is None else _without_keys(changes)


def _without_keys(value):
    if isinstance(value, dict):
        return {k: _without_keys(v) for k, v in value.items() if not k.endswith("Id")}
    return [_without_keys(v) for v in value] if isinstance(value, list) else value


def said(report):
    """Return the diagnostics except those of dry runs."""
    found = [(d.severity.value, d.path, d.message) for d in report.diagnostics]
    return [one for one in found if not any(word in one[2] for word in PLANNED)]


def test_the_examples_cover_every_outcome_and_every_case_of_a_dry_run(
    run, admin, stocked
):
    seen, cases = Counter(), Counter()

    @effort(60)
    @given(story=stories())
    def play(story):
        first, doings, second = story
        with rolled_back():
            prepared(run, admin, first, doings)
            report = run(second, dry_run=True)
            seen.update(one.outcome.value for one in report.items)
            cases.update(_cases(report))

    play()
    total = sum(seen.values())
    shares = {each: round(100 * seen[each] / total, 1) for each in no_counts()}
    print(f"{total} objects, in per cent: {shares}; {cases}")  # noqa: T201 - asked for
    assert min(shares.values()) >= 0.5, shares
    assert shares["Failed"] <= 50, shares
    assert min(cases[case] for case in CASES) >= 2, cases


CASES = {
    "a number to come": "the run will give",
    "a number that does not come": 'has the code "SO-2026-000009"',
    "an execution once with a token": "executed only once",
    "a processor that imports": "a package can't execute it",
    "left unposted": 'unposted although the step has "submit": true',
    "nothing differs": "the row already has its values",
    "edited to just that": "to exactly the values of the object",
}


def _cases(report):
    texts = [d.message for d in report.diagnostics] + [o.message for o in report.items]
    return [case for case, words in CASES.items() if any(words in t for t in texts)]


@effort(25)
@given(story=stories())
def test_a_dry_run_predicts_the_run_and_writes_nothing(
    run, admin, business, stocked, story
):
    first, doings, second = story
    with rolled_back():
        prepared(run, admin, first, doings)
        before = business()
        planned = run(second, dry_run=True)
        assert business() == before
        done = run(second, continue_on_error=True)
        assert entries(planned) == entries(done)
        assert said(planned) == said(done)


@effort(12)
@given(story=packages_and_acts())
def test_a_run_after_a_run_writes_nothing(run, admin, business, stocked, story):
    first, doings = story
    with rolled_back():
        prepared(run, admin, first, doings)
        run(first, continue_on_error=True)
        before = business()
        report = run(first, continue_on_error=True)
        assert business() == before
        assert not {"Inserted", "Updated", "Restored"} & {
            str(one.outcome) for one in report.items
        }


@effort(6)
@given(story=stories())
def test_the_size_of_the_window_does_not_matter(run, admin, stocked, story):
    (first, doings, second), found = story, []
    for window in (1, 3, 1000):
        with rolled_back():
            prepared(run, admin, first, doings)
            found.append(told(run(second, continue_on_error=True, window=window)))
    assert found[0] == found[1] == found[2]
