"""Properties of undo that hold for all packages of documents, posted or not."""

from __future__ import annotations

from collections import Counter

import pytest
from django.db.models import Sum
from hypothesis import given, strategies as st

from documents.models import StockMovement
from tests.documents.progress import SET_BY_OTHERS, check_progress
from tests.drill import effort
from tests.importer.laws.trade import DEEDS, MODELS, act, chances, stock, stories
from tests.importer.laws.world import rolled_back
from tests.importer.undo.snapshots import differences, snapshot, told

pytestmark = pytest.mark.django_db
_WRITES = ("Inserted", "Updated", "Adopted", "Restored")


@st.composite
def acts(draw):
    """Draw what users do after the second run."""
    pick = draw(chances).choice
    return [(pick(DEEDS), pick(range(13))) for _ in range(pick(range(1, 6)))]


@pytest.fixture
def stocked(run, admin):
    stock(run, admin)


def stocks():
    """Return the quantity of each item that each document moves."""
    moved = StockMovement.objects.values_list("document_type", "document_id", "item_id")
    return sorted(moved.annotate(Sum("quantity")).order_by())


def prepared(run, admin, story):
    """Return the report of the second run, None if it wrote nothing."""
    first, doings, second = story
    run(first, continue_on_error=True)
    act(doings, admin)
    before = snapshot(MODELS), stocks()
    done = run(second, continue_on_error=True)
    # Executions are recorded, but have no history.
    wrote = any(
        one.outcome in _WRITES and not one.id.startswith("x") for one in done.items
    )
    return before, done if wrote else None


@effort(15)
@given(story=stories())
def test_documents_and_stock_are_as_before_after_a_run_and_its_undo(
    run, admin, stocked, story, undo
):
    with rolled_back():
        (before, moved), done = prepared(run, admin, story)
        if done is None:
            return
        report = undo(done, window=3)
        assert {str(one.outcome) for one in report.items} <= {"Reverted"}, told(report)
        assert not differences(before, snapshot(MODELS), report)
        assert stocks() == moved


@effort(15)
@given(story=stories(), doings=acts())
def test_a_dry_run_of_an_undo_agrees_with_the_undo_in_every_entry(
    run, admin, stocked, story, undo, doings
):
    with rolled_back():
        (before, _moved), done = prepared(run, admin, story)
        if done is None:
            return
        act(doings, admin)
        edited = snapshot(MODELS), stocks()
        planned = undo(done, dry_run=True)
        assert (snapshot(MODELS), stocks()) == edited
        report = undo(done)
        assert told(planned) == told(report)
        written = {(one.target, one.row_id) for one in report.items}
        # What the users delivered and paid meanwhile stays.
        wrong = differences(before, snapshot(MODELS), report, SET_BY_OTHERS)
        assert not written & wrong.keys()
        check_progress()


def test_the_examples_cover_every_outcome(run, admin, stocked, undo):
    seen = Counter()

    @effort(25)
    @given(story=stories(), doings=acts())
    def play(story, doings):
        with rolled_back():
            _before, done = prepared(run, admin, story)
            if done is not None:
                act(doings, admin)
                report = undo(done)
                seen.update(one.outcome.value for one in report.items)
                seen["values"] += sum(bool(one.changes) for one in report.items)

    play()
    print(dict(seen))  # noqa: T201 - asked for
    assert min(seen[n] for n in ("Reverted", "Kept", "Gone", "values")) >= 1
