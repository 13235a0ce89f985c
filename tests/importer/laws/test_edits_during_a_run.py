"""A row that somebody changes between look-up and write is never overwritten
unnoticed."""

from __future__ import annotations

from contextlib import contextmanager
from unittest import mock

import pytest
from django.db.models import QuerySet
from hypothesis import given, strategies as st

from catalogs import models
from importer.package.step_policies import OnChange, OnDeleted, OnUserModified, Policy
from importer.pipeline.decide import Action, decide
from importer.pipeline.values import ExistingRow
from platform_site.records.importing import RecordTarget
from platform_site.records.references import references_in
from platform_site.records.services import (
    create_record,
    delete_record,
    restore_record,
    update_record,
)
from tests.drill import effort
from tests.importer.laws.canonical import hash_of
from tests.importer.laws.history import assert_history_leads_to_the_rows
from tests.importer.laws.stories import stories
from tests.importer.laws.world import MODELS, SOURCE, quietly, rolled_back, run, set_up
from tests.live_references import assert_references_live

pytestmark = pytest.mark.django_db


class Meddler:
    """A target wrapper that edits each marked row once, just before the engine writes
    it."""

    def __init__(self, user, deeds):
        self._user = user
        self._deeds = deeds
        self.left = {}
        self._edits = 0

    def edit(self, model, row_id):
        fresh = model._base_manager.get(pk=row_id)
        key = (model.catalog_name, fresh.import_key)
        if fresh.import_source != SOURCE or key in self.left:
            return
        deed = self._deeds[len(self.left) % len(self._deeds)]
        self.left[key] = None
        if deed == "leave":
            done = None
        elif fresh.is_deleted:
            done = quietly(restore_record, row=fresh, actor=self._user)
        elif deed == "delete":
            done = quietly(delete_record, row=fresh, actor=self._user)
        else:
            self._edits += 1
            data = {"name": f"By hand {self._edits}"}
            done = quietly(update_record, row=fresh, data=data, actor=self._user)
        if done is not None:
            self.left[key] = snapshot(model, row_id)

    @contextmanager
    def at(self, moment):
        original = getattr(RecordTarget, moment)

        def edit(model, row_id):
            # The edit itself is written through the same class.
            with mock.patch.object(RecordTarget, moment, original):
                self.edit(model, row_id)

        def about_to_load(target, source, keys):
            seen = original(target, source, keys)
            for existing in seen.values():
                edit(target.model, existing.row_id)
            return seen

        def about_to_prepare(target, order, look):
            if order.row is not None:
                edit(target.model, order.row.pk)
            return original(target, order, look)

        def about_to_commit(target, prepared, mark):
            if prepared.before is not None:
                edit(target.model, prepared.before.pk)
            return original(target, prepared, mark)

        meddling = {
            "marked": about_to_load,
            "prepare": about_to_prepare,
            "commit": about_to_commit,
        }
        with mock.patch.object(RecordTarget, moment, meddling[moment]):
            yield


class Neighbours:
    """A target wrapper that deletes referenced rows, moves folders and restores rows
    during a run."""

    def __init__(self, user, deeds):
        self._user = user
        self._deeds = deeds
        self._done = 0

    def act(self, draft):
        deed = self._deeds[self._done % len(self._deeds)]
        self._done += 1
        getattr(self, f"_{deed}")(draft)

    def _leave(self, draft):
        pass

    def _delete(self, draft):
        for reference in references_in(draft.row):
            named = reference.wanted.model._base_manager.filter(pk=reference.row_id)
            for row in named:
                quietly(delete_record, row=row, actor=self._user)

    def _move(self, draft):
        folders = list(models.Item.objects.live().filter(is_folder=True).order_by("pk"))
        for row, folder in zip(folders, reversed(folders), strict=True):
            data = {"parentId": folder.pk}
            quietly(update_record, row=row, data=data, actor=self._user)

    def _restore(self, draft):
        for model in MODELS.values():
            for row in model._base_manager.filter(is_deleted=True).order_by("pk")[:2]:
                quietly(restore_record, row=row, actor=self._user)

    @contextmanager
    def before_commit(self):
        original = RecordTarget.commit

        def about_to_commit(target, prepared, mark):
            self.act(prepared)
            return original(target, prepared, mark)

        with mock.patch.object(RecordTarget, "commit", about_to_commit):
            yield


def snapshot(model, row_id):
    return model._base_manager.filter(pk=row_id).values().get()


def existing_row_of(row):
    at, modified = row["import_imported_at"], row["modified"]
    return ExistingRow(
        row["id"],
        row["import_source_hash"],
        row["version"],
        deleted=row["is_deleted"],
        user_modified=modified > at,
    )


def policy_of(step):
    return Policy(
        OnChange(step["onChange"]),
        OnUserModified(step["onUserModified"]),
        OnDeleted(step["onDeleted"]),
    )


deeds = st.lists(st.sampled_from(["rename", "delete", "leave"]), min_size=1, max_size=4)


@pytest.mark.parametrize("moment", ["marked", "prepare", "commit"])
def test_the_decision_is_repeated_after_a_users_edit(admin_user, moment):
    @effort(6)
    @given(story=stories(), deeds=deeds, size=st.sampled_from([1, 1000]))
    def meddle(story, deeds, size):
        with rolled_back():
            set_up(story, admin_user)
            meddler = Meddler(admin_user, deeds)
            with meddler.at(moment):
                report = run(story.second, admin_user, window=size)
            objects = {
                item["$id"]: (step, item)
                for step in story.second
                for item in step["items"]
            }
            for one in report.items:
                left = meddler.left.get((one.target, one.id))
                if left is None or (moment == "marked" and one.outcome == "Unchanged"):
                    continue
                step, item = objects[one.id]
                due = decide(existing_row_of(left), hash_of(item), policy_of(step))
                now = snapshot(MODELS[one.target], left["id"])
                if one.outcome == "Failed":
                    assert now == left
                elif due.outcome != one.outcome and (
                    moment == "marked"
                    or (moment == "prepare" and one.outcome.startswith("Skipped"))
                ):
                    # Settled before the edit, by what the row was then; a row that is
                    # kept is prepared as well, only to show how it differs.
                    assert now == left
                else:
                    assert one.outcome == due.outcome
                if due.action is Action.NOTHING:
                    assert now == left
            assert_history_leads_to_the_rows()

    meddle()


neighbourly = st.lists(
    st.sampled_from(["delete", "move", "restore", "leave"]), min_size=1, max_size=5
)


def test_no_live_row_refers_to_rows_deleted_during_the_run(admin_user):
    """Users delete, move and restore rows while a run writes."""

    @effort(10)
    @given(story=stories(), deeds=neighbourly, size=st.sampled_from([1, 1000]))
    def meddle(story, deeds, size):
        with rolled_back():
            set_up(story, admin_user)
            with Neighbours(admin_user, deeds).before_commit():
                run(story.second, admin_user, window=size)
            assert_references_live()
            assert_history_leads_to_the_rows()

    meddle()


def units(*names, **keys):
    items = [{"$id": f"u{n}", "code": f"U{n}", "name": x} for n, x in enumerate(names)]
    return [{"dictionary": "UnitsOfMeasure", "items": items, **keys}]


@pytest.mark.parametrize("moment", ["marked", "prepare", "commit"])
@pytest.mark.parametrize(
    ("policy", "outcome", "name"),
    [("skip", "SkippedUserModified", "By hand"), ("overwrite", "Updated", "Another")],
)
def test_an_edit_during_the_run_counts_as_a_user_change(
    admin_user, moment, policy, outcome, name
):
    run(units("One", "Two"), admin_user)
    meddler = Meddler(admin_user, ["rename"])
    with meddler.at(moment):
        changed = units("Another", "Another", onUserModified=policy)
        report = run(changed, admin_user)
    assert [one.outcome for one in report.items] == [outcome, outcome]
    found = MODELS["UnitsOfMeasure"].objects.order_by("code")
    assert [row.name.rstrip(" 12") for row in found] == [name, name]
    assert_history_leads_to_the_rows()


@pytest.mark.parametrize("moment", ["prepare", "commit"])
def test_a_row_that_keeps_changing_is_left_to_its_users(admin_user, moment):
    run(units("One", "Two"), admin_user)
    meddler = Meddler(admin_user, ["rename"])
    edit = meddler.edit

    def again_and_again(model, row_id):
        meddler.left.clear()
        edit(model, row_id)

    meddler.edit = again_and_again
    with meddler.at(moment):
        report = run(units("Another", "Two", onUserModified="overwrite"), admin_user)
    assert [one.outcome for one in report.items] == ["Failed", "Unchanged"]
    assert "somebody else is changing this row" in report.items[0].message
    assert MODELS["UnitsOfMeasure"].objects.get(code="U0").name.startswith("By hand")


def test_a_row_erased_just_before_its_adoption_is_inserted(admin_user):
    model = MODELS["UnitsOfMeasure"]
    create_record(model=model, data={"code": "U0", "name": "n"}, actor=admin_user)
    original = RecordTarget.adoptable

    def erased_behind_its_back(target, names, columns, packages):
        found = original(target, names, columns, packages)
        QuerySet(model).filter(code="U0").delete()
        return found

    with mock.patch.object(RecordTarget, "adoptable", erased_behind_its_back):
        report = run(units("One", match=["code"]), admin_user)
    assert [one.outcome for one in report.items] == ["Inserted"]
