"""Properties that hold for all packages, whatever was imported and changed before."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, note

from importer.models import AppliedPackage, ImportRun
from importer.package.shapes import Outcome
from importer.pipeline.report import no_counts
from tests.drill import effort
from tests.importer.laws.canonical import hash_of
from tests.importer.laws.history import assert_history_leads_to_the_rows
from tests.importer.laws.stories import stories
from tests.importer.laws.world import (
    MODELS,
    SOURCE,
    contents,
    rolled_back,
    run,
    set_up,
    tables,
    told,
)

pytestmark = pytest.mark.django_db
_STAY = {
    Outcome.SKIPPED_DELETED,
    Outcome.SKIPPED_DRIFT,
    Outcome.SKIPPED_USER_MODIFIED,
}
_WRITTEN = {Outcome.INSERTED, Outcome.UPDATED, Outcome.ADOPTED, Outcome.RESTORED}


def found_in(story):
    return {
        item["$id"]: (step, item) for step in story.second for item in step["items"]
    }


def row_of(step, identifier):
    model = MODELS[step["dictionary"]]
    return model._base_manager.get(import_source=SOURCE, import_key=identifier)


def test_the_examples_cover_every_outcome(admin_user):
    seen = Counter()

    @effort(40)
    @given(story=stories())
    def play(story):
        with rolled_back():
            set_up(story, admin_user)
            items = list(run(story.second, admin_user).items)
            seen.update(one.outcome.value for one in items)
            seen["agreed"] += sum(one.differences == {} for one in items)

    play()
    agreed, total = seen.pop("agreed"), sum(seen.values())
    shares = {outcome: round(100 * seen[outcome] / total, 1) for outcome in no_counts()}
    print(f"{total} objects, in per cent: {shares}, {agreed} agreed")  # noqa: T201
    assert agreed
    assert min(shares.values()) >= 0.5, shares
    assert shares["Failed"] <= 40, shares


def next_outcome(one, stored, item):
    """Return the outcome of the next run according to the table."""
    first = one.outcome
    if one.differences == {}:
        # A user entered just what the package says; that is told once.
        return Outcome.UNCHANGED
    if first in _STAY:
        return first
    kept = first is Outcome.RESTORED and stored != hash_of(item)
    return Outcome.SKIPPED_DRIFT if kept else Outcome.UNCHANGED


@effort(15)
@given(story=stories())
def test_a_second_run_changes_nothing(admin_user, story):
    with rolled_back():
        set_up(story, admin_user)
        items = found_in(story)
        first = run(story.second, admin_user)
        expected = {}
        for one in first.items:
            if one.outcome is not Outcome.FAILED:
                step, item = items[one.id]
                stored = row_of(step, one.id).import_source_hash
                expected[one.id] = next_outcome(one, stored, item)
        before = tables()
        if len(expected) < len(items):
            # What failed may succeed now; what did not fail has to stay as it is.
            story.second = [
                {**step, "items": [i for i in step["items"] if i["$id"] in expected]}
                for step in story.second
            ]
        second = run(story.second, admin_user)
        got = {one.id: one.outcome for one in second.items}
        # Unchanged before, these refer to an object that was taken out just now.
        failed = {
            one.id
            for one in second.items
            if one.message.split(": ")[-1].startswith("no object before this one")
        }
        assert {i: o for i, o in got.items() if i not in failed} == {
            i: o for i, o in expected.items() if i not in failed
        }
        assert tables() == before


@effort(25)
@given(story=stories())
def test_a_dry_run_predicts_the_run_and_writes_nothing(admin_user, story):
    with rolled_back():
        set_up(story, admin_user)
        before, runs = tables(), ImportRun.objects.real().count()
        applied = list(AppliedPackage.objects.values())
        planned = run(story.second, admin_user, dry_run=True)
        assert tables() == before
        assert ImportRun.objects.real().count() == runs
        assert list(AppliedPackage.objects.values()) == applied
        done = run(story.second, admin_user)
        assert told(planned) == told(done)
        assert changes(planned) == changes(done)


def changes(report):
    """Return the changes of each object; keys of planned rows are unknown."""
    found = {}
    for one in report.items:
        pairs = (one.changes or {}).items()
        found[one.id] = {
            name: pair for name, pair in pairs if not name.endswith("Id")
        } or sorted(one.changes or {})
    return found


@effort(10)
@given(story=stories())
def test_the_size_of_the_window_does_not_matter(admin_user, story):
    with rolled_back():
        set_up(story, admin_user)
        results = []
        for size in (1, 3, 1000):
            planned = run(story.second, admin_user, window=size, dry_run=True)
            with rolled_back():
                done = run(story.second, admin_user, window=size)
                results.append((told(planned), told(done), contents()))
        one, three, all_at_once = results
        assert one == three
        assert three == all_at_once


@effort(8)
@given(story=stories())
def test_every_mark_has_the_hash_and_every_event_the_changes(admin_user, story):
    with rolled_back():
        set_up(story, admin_user)
        items = found_in(story)
        for one in run(story.second, admin_user).items:
            if one.outcome not in _WRITTEN:
                continue
            step, item = items[one.id]
            row = row_of(step, one.id)
            note(f"{one.id} {one.outcome}")
            if one.outcome is not Outcome.RESTORED or step["onChange"] == "update":
                assert row.import_source_hash == hash_of(item)
            assert row.import_origin == "Import"
            assert row.pk == one.row_id
            assert not row.is_modified_after_import
        assert_history_leads_to_the_rows()
