"""Properties of ``onMissing`` that hold for all packages, whatever users changed before:
nothing is deleted that should stay, and a dry run foretells every deletion."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, note, strategies as st

from importer.package.hashing import MISSING_HASH
from tests.drill import effort
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
LIMITS = [*["100%"] * 8, "50%", "5%", 0, 1, 2, 3]


@st.composite
def missing_stories(draw):
    """Draw a story, and for each target what happens to missing rows; objects may leave
    the second package all at once."""
    story = draw(stories())
    policies = {}
    for target in MODELS:
        policy = draw(st.sampled_from(["delete", "delete", "delete", "report", "keep"]))
        policies[target] = {
            "onMissing": policy,
            "maxDelete": draw(st.sampled_from(LIMITS)),
        }
    for step in story.second:
        step |= policies[step["dictionary"]]
        if draw(st.sampled_from([True, True, False])):
            step["items"] = step["items"][: draw(st.integers(0, 2))]
    story.policies = policies
    return story


def clean(story, user):
    """Take out of the second package what a run refuses."""
    while failed := {
        one.id
        for one in run(story.second, user, dry_run=True).items
        if one.outcome == "Failed"
    }:
        story.second = [
            {**step, "items": [i for i in step["items"] if i["$id"] not in failed]}
            for step in story.second
        ]


def living():
    """Return the rows that aren't deleted, by target and key."""
    return {
        (name, row.pk): row
        for name, model in MODELS.items()
        for row in model.objects.live()
    }


def ids_of(story, target):
    steps = (step for step in story.second if step["dictionary"] == target)
    return {item["$id"] for step in steps for item in step["items"]}


def most(limit, rows):
    return limit if isinstance(limit, int) else rows * int(limit[:-1]) // 100


def assert_nothing_else_went(story, before, report):
    """Check each row that the run deleted; return how many."""
    after = living()
    gone = Counter()
    for place, row in before.items():
        if place in after:
            continue
        target = place[0]
        assert row.import_source == SOURCE
        assert row.import_key not in ids_of(story, target)
        assert not row.is_modified_after_import
        assert story.policies[target]["onMissing"] == "delete"
        gone[target] += 1
    for target, count in gone.items():
        assert not report.has_errors
        own = [row for (name, _), row in before.items() if name == target]
        missing = [
            row
            for row in own
            if row.import_source == SOURCE
            and row.import_key not in ids_of(story, target)
        ]
        rows = len(missing) + len(ids_of(story, target))
        assert count <= most(story.policies[target]["maxDelete"], rows)
    assert gone.total() == report.counts.get("Deleted", 0)
    return gone.total()


@effort(25)
@given(story=missing_stories(), errors=st.booleans())
def test_only_what_may_go_is_deleted_and_a_dry_run_foretells_it(
    admin_user, story, errors
):
    with rolled_back():
        set_up(story, admin_user)
        if not errors:
            clean(story, admin_user)
        before, stored = living(), tables()
        planned = run(story.second, admin_user, dry_run=True)
        assert tables() == stored
        done = run(story.second, admin_user)
        assert told(planned) == told(done)
        assert planned.counts == done.counts
        note(str(assert_nothing_else_went(story, before, done)))


@effort(15)
@given(story=missing_stories())
def test_a_second_run_changes_nothing(admin_user, story):
    with rolled_back():
        set_up(story, admin_user)
        clean(story, admin_user)
        first = run(story.second, admin_user)
        before = tables()
        second = run(story.second, admin_user)
        assert tables() == before
        assert second.counts.get("Deleted", 0) == 0
        assert second.counts.get("Missing") == first.counts.get("Missing")


@effort(15)
@given(story=missing_stories())
def test_what_comes_back_is_restored_once(admin_user, story):
    with rolled_back():
        set_up(story, admin_user)
        clean(story, admin_user)
        run(story.second, admin_user)
        story.second = story.first
        clean(story, admin_user)
        gone = {
            (name, row.import_key)
            for name, model in MODELS.items()
            for row in model._base_manager.filter(import_source_hash=MISSING_HASH)
            if row.is_deleted
        }
        back = {(o.target, o.id): o.outcome for o in run(story.first, admin_user).items}
        again = {
            (o.target, o.id): o.outcome for o in run(story.first, admin_user).items
        }
        for place in gone & back.keys():
            if back[place] != "Failed":
                assert (back[place], again[place]) == ("Restored", "Unchanged")


@effort(8)
@given(story=missing_stories())
def test_the_size_of_the_window_does_not_matter(admin_user, story):
    with rolled_back():
        set_up(story, admin_user)
        clean(story, admin_user)
        results = []
        for size in (1, 1000):
            with rolled_back():
                done = run(story.second, admin_user, window=size)
                results.append((told(done), contents()))
        assert results[0] == results[1]


def test_the_examples_delete_enough(admin_user):
    seen = Counter()

    @effort(25)
    @given(story=missing_stories())
    def play(story):
        with rolled_back():
            set_up(story, admin_user)
            clean(story, admin_user)
            done = run(story.second, admin_user)
            seen.update(one.outcome.value for one in done.items)
            seen["in use"] += sum("in use" in one.message for one in done.items)
            seen["by user"] += sum(
                "a user" in o.message for o in done.items if o.index is None
            )
            seen["limit"] += any(p.code == "too-many-missing" for p in done.problems)

    play()
    print(dict(seen))  # noqa: T201
    assert (
        min(seen[n] for n in ("Deleted", "Missing", "in use", "by user", "limit")) > 2
    )
