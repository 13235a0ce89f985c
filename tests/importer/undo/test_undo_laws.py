"""Properties of undo that hold for all packages of catalogs, whatever users did before
and after the run."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, strategies as st

from platform_site.records.services import create_record
from tests.drill import effort
from tests.importer.laws.stories import (
    ACCOUNTS,
    CURRENCIES,
    DEEDS,
    ITEMS,
    UNITS,
    stories,
)
from tests.importer.laws.world import (
    MODELS,
    act,
    quietly,
    rolled_back,
    run,
    set_up,
)
from tests.importer.undo.snapshots import differences, snapshot, told

# A law wants every case often, and small numbers are no better than others.
chances = st.randoms(use_true_random=True)
pytestmark = pytest.mark.django_db
# Nobody did anything since: only what a user had deleted before may be in the way.
_REFERS_TO_DELETED = ("is deleted", "deleted:")


@st.composite
def edits(draw):
    """Draw what users do after the second package."""
    pick = draw(chances).choice
    deeds = [*DEEDS, *["use", "delete"] * 6]
    return [(pick(deeds), pick(range(30)), pick("AB")) for _ in range(pick(range(9)))]


def edit(deeds, user):
    """Let a user change rows that the run may have written."""
    marked = [
        row
        for model in MODELS.values()
        for row in model._base_manager.filter(import_key__isnull=False).order_by("pk")
    ]
    for deed, place, code in deeds if marked else ():
        row = marked[place % len(marked)]
        if deed == "use":
            use(row, place, user)
            continue
        act(deed, type(row), row.import_key, code, user)


def use(row, place, user):
    """Create a row that refers to another one."""
    kind, name = type(row).catalog_name, {"code": f"USE{place}", "name": "Using"}
    if kind == ITEMS:
        model, more = type(row), {"isFolder": True, "parentId": row.pk}
    elif kind == CURRENCIES:
        model, more = MODELS[ACCOUNTS], {"currencyId": row.pk}
    elif kind == UNITS:
        model = MODELS[ITEMS]
        more = {"isFolder": False, "category": "goods", "unitOfMeasureId": row.pk}
    else:
        return
    quietly(create_record, model=model, data={**name, **more}, actor=user)


@effort(25)
@given(story=stories())
def test_a_run_and_its_undo_leave_everything_as_it_was(admin, story, undo):
    with rolled_back():
        set_up(story, admin)
        before = snapshot(MODELS.values())
        done = run(story.second, admin)
        report = undo(done, window=3) if _wrote(done) else None
        if report is None:
            return
        blocked = [one for one in report.items if one.outcome == "Blocked"]
        assert {str(one.outcome) for one in report.items} <= {"Reverted", "Blocked"}
        for one in blocked:
            assert any(words in one.message for words in _REFERS_TO_DELETED), one
        assert not differences(before, snapshot(MODELS.values()), report)
        if not blocked:
            again = run(story.second, admin)
            assert _outcomes(again) == _outcomes(done)


def _wrote(report):
    kept = ("Unchanged", "SkippedDrift", "SkippedDeleted", "SkippedUserModified")
    return any(n for name, n in report.counts.items() if name not in (*kept, "Failed"))


def _outcomes(report):
    return [(one.id, str(one.outcome)) for one in report.items]


@effort(25)
@given(story=stories(), deeds=edits())
def test_a_dry_run_of_an_undo_agrees_with_the_undo_in_every_entry(
    admin, story, deeds, undo
):
    with rolled_back():
        set_up(story, admin)
        before = snapshot(MODELS.values())
        done = run(story.second, admin)
        if not _wrote(done):
            return
        edit(deeds, admin)
        edited = snapshot(MODELS.values())
        planned = undo(done, dry_run=True)
        assert snapshot(MODELS.values()) == edited
        report = undo(done)
        assert told(planned) == told(report)
        assert planned.counts == report.counts
        left = snapshot(MODELS.values())
        touched = {
            key for key in edited if edited[key] != left[key]
        }  # by the undo alone
        assert touched <= {
            (one.target, one.row_id)
            for one in report.items
            if one.outcome == "Reverted"
        }
        wrong = differences(before, left, report)
        # What people changed, of rows that the run didn't write, is theirs.
        written = {(one.target, one.row_id) for one in report.items}
        assert not {key for key in wrong if key in written}


def test_the_examples_cover_every_outcome(admin, undo):
    seen = Counter()

    @effort(50)
    @given(story=stories(), deeds=edits())
    def play(story, deeds):
        with rolled_back():
            set_up(story, admin)
            done = run(story.second, admin)
            if _wrote(done):
                edit(deeds, admin)
                seen.update(one.outcome.value for one in undo(done).items)

    play()
    print(dict(seen))  # noqa: T201 - asked for
    assert min(seen[name] for name in ("Reverted", "Kept", "Blocked", "Gone")) >= 1
