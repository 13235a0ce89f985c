"""Laws about acting on runs, over random packages and user changes."""

from __future__ import annotations

from unittest import mock

import pytest
from django.db.models import Max
from hypothesis import given, strategies as st

from importer import services
from importer.package.shapes import Outcome
from importer.runs.decisions import order_of_decision
from importer.runs.execution import execute
from importer.services import ImportOptions, KeptRows
from platform_site.changes.models import ChangeEvent
from platform_site.records.importing import RecordTarget
from tests.drill import effort
from tests.importer.laws.history import assert_history_leads_to_the_rows
from tests.importer.laws.stories import DEEDS, stories
from tests.importer.laws.world import (
    MODELS,
    act,
    rolled_back,
    run,
    set_up,
    told,
)

pytestmark = pytest.mark.django_db
ON_ERRORS = ImportOptions(continue_on_error=True)
_WRITTEN = {
    "created": "Inserted",
    "updated": "Updated",
    "adopted": "Adopted",
    "restored": "Restored",
}
moves = st.lists(
    st.tuples(st.sampled_from(DEEDS), st.integers(0, 40), st.sampled_from(["A", "I1"])),
    max_size=4,
)


def written(report):
    return {e.id for e in report.items if e.outcome in _WRITTEN.values()}


def named(story):
    return [(s["dictionary"], i["$id"]) for s in story.second for i in s["items"]]


def interfere(story, deeds, user):
    """Let a user change rows that the package has."""
    objects = named(story)
    for deed, place, code in deeds if objects else ():
        target, identifier = objects[place % len(objects)]
        act(deed, MODELS[target], identifier, code, user)


@effort(20)
@given(story=stories())
def test_a_plan_on_an_unmoved_database_is_carried_out_in_every_entry(story, admin):
    with rolled_back():
        set_up(story, admin)
        planned = run(story.second, admin, dry_run=True)
        done = services.import_plan(planned.run_id, ON_ERRORS, user=admin)
        assert told(done) == told(planned)
        assert_history_leads_to_the_rows()


@effort(40)
@given(story=stories(), before=moves, during=moves)
def test_nothing_is_written_that_is_not_in_the_plan(story, before, during, admin):
    """Users change rows between dry run and import, and while the import runs."""
    with rolled_back():
        set_up(story, admin)
        planned = run(story.second, admin, dry_run=True)
        interfere(story, before, admin)
        may_write = {e.id: e.outcome for e in planned.items if e.id in written(planned)}
        writes = []
        with _interfering(story, during, admin, writes):
            services.import_plan(planned.run_id, ON_ERRORS, user=admin)
        for key, action in writes:
            assert may_write[key] == _WRITTEN[action]
        assert_history_leads_to_the_rows()


@effort(20)
@given(story=stories(), chosen=st.randoms(use_true_random=False))
def test_decided_rows_are_unchanged_in_the_next_run(story, chosen, admin):
    with rolled_back():
        set_up(story, admin)
        report = run(story.second, admin)
        kept = [e for e in report.items if e.is_kept and e.id]
        mine = {e.id for e in kept if chosen.random() < 0.5}
        theirs = {e.id for e in kept} - mine
        deleted = {e.id for e in kept if e.outcome is Outcome.SKIPPED_DELETED}
        taken = {}
        if theirs:
            which = KeptRows(frozenset(theirs))
            order = order_of_decision(report.run_id, which, ON_ERRORS, admin)
            with order.source:
                taken = {e.id: e.outcome for e in execute(order).items}
            assert taken.keys() == theirs
        if mine:
            which = KeptRows(frozenset(mine))
            found = services.keep_own_values(report.run_id, which, user=admin)
            assert found == len(mine - deleted)
        again = {e.id: e.outcome for e in run(story.second, admin).items}
        for identifier in theirs:
            if taken[identifier] is not Outcome.FAILED:
                assert again[identifier] is Outcome.UNCHANGED
        for identifier in mine - deleted:
            assert again[identifier] is Outcome.UNCHANGED
        assert_history_leads_to_the_rows()


def _interfering(story, deeds, user, writes):
    """Let a user make one change before each of the first writes of a run, and collect
    what the run itself writes: the key of each object, and the action."""
    left, commit = list(deeds), RecordTarget.commit

    def interfered(self, prepared, mark):
        if left:
            deed = left.pop()
            with mock.patch.object(RecordTarget, "commit", commit):
                interfere(story, [deed], user)
        last = ChangeEvent.objects.aggregate(last=Max("pk"))["last"] or 0
        row_id = commit(self, prepared, mark)
        for event in ChangeEvent.objects.filter(pk__gt=last):
            writes.append((mark.key, event.action))
        return row_id

    return mock.patch.object(RecordTarget, "commit", interfered)
