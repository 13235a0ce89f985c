"""The law of archiving: every later import, dry run and undo does what it would have done
with the whole history, except the undo of runs before what was archived."""

from __future__ import annotations

import pytest
from django.utils import timezone
from hypothesis import given, note, strategies as st

from catalogs.models import Item
from importer.models import ImportRun
from importer.services import ImportOptions, NotUndoable, undo_run
from platform_site.changes.edit_conflicts import newest_change
from platform_site.changes.models import ArchivedChanges, ChangeEvent
from platform_site.changes.services import ChangeOrigin, acting_as
from platform_site.records import wire
from platform_site.records.admin.row_source import source_of
from platform_site.records.errors import Refusal
from platform_site.records.services import (
    delete_record,
    restore_record,
    update_record,
)
from platform_site.site.archived_changes import archiving, files, selection
from tests.drill import effort
from tests.importer.laws.test_merge_laws import VALUES, steps_of
from tests.importer.laws.world import rolled_back, run

pytestmark = pytest.mark.django_db
ARCHIVE, TURN = "archive", "delete or restore"
IDS = ["i1", "i2"]
# Many changes of few rows, between the times at which they are archived.
edits = st.tuples(
    st.sampled_from(IDS),
    st.fixed_dictionaries(
        {"name": st.sampled_from(VALUES["name"])},
        optional={"price": st.sampled_from(VALUES["price"])},
    ),
)
objects = st.fixed_dictionaries(
    {name: st.sampled_from(VALUES[name]) for name in ("name", "price", "category")}
)
packages = st.fixed_dictionaries(dict.fromkeys(IDS, objects))
others = st.one_of(packages, packages, st.integers(0, 3), st.just(TURN), st.just(None))
chapters = st.tuples(
    st.lists(edits, max_size=4), others, st.lists(edits, max_size=4), st.booleans()
)
stories = st.lists(chapters, min_size=2, max_size=5).map(
    lambda found: [
        doing
        for before, other, after, archives in found
        for doing in (*before, other, *after, *[ARCHIVE] * archives)
        if doing is not None
    ]
)


@pytest.fixture(autouse=True)
def few_of_users(monkeypatch):
    """Keep nothing only because it is among the newest of a user."""
    monkeypatch.setattr(selection, "_OF_USER", 1)


class World:
    """An installation in which things are done; with an archive or without."""

    def __init__(self, user, archive=None):
        self.user, self.archive = user, archive
        # The runs whose undo is possible, as none of their changes is archived.
        self.undoable = []

    def do(self, doing):
        """Do one thing, and return what anybody is told of it."""
        if doing == ARCHIVE:
            self.undoable = []
            if self.archive is not None:
                self.archive(timezone.now())
            return None
        if isinstance(doing, int):
            return self._undo(doing)
        if doing == TURN:
            return self._turn()
        if isinstance(doing, tuple):
            identifier, values = doing
            row = Item.objects.filter(code=identifier).first()
            if row is not None and not row.is_deleted:
                update_record(row=row, data=values, actor=self.user)
            return self._rows()
        steps = steps_of(doing)
        planned = run(steps, self.user, dry_run=True, window=2)
        done = run(steps, self.user, window=2)
        self.undoable.append(done.run_id)
        return told(planned), told(done), self._rows()

    def _undo(self, number):
        if not self.undoable:
            return None
        run_id = self.undoable[-1 - number % len(self.undoable)]
        try:
            done = undo_run(run_id, ImportOptions(), user=self.user)
        except NotUndoable as refusal:
            return type(refusal).__name__
        return told(done), self._rows()

    def _turn(self):
        row = Item.objects.order_by("pk").first()
        if row is not None:
            turn = restore_record if row.is_deleted else delete_record
            try:
                turn(row=row, actor=self.user)
            except Refusal as refusal:
                return str(refusal)
        return self._rows()

    def _rows(self):
        """Return the rows, and what their pages say of their history."""
        return [self._row(row) for row in Item.objects.order_by("code")]

    def _row(self, row):
        source, values = source_of(row, self.user), wire.serializer_of(Item)(row).data
        return (
            {name: values[name] for name in VALUES},
            row.is_deleted,
            row.is_modified_after_import,
            row.import_key,
            bool(newest_change(row)),
            source.run and (source.run.kind, source.run.counts),
            [
                each and (each.action, each.user_name, sorted(each.changes))
                for each in (source.created, source.changed)
            ],
        )


def told(report):
    """Return what a report says, without the times and numbers of this world."""
    return [
        (
            entry.id,
            entry.outcome.value,
            getattr(entry, "conflicts", None),
            getattr(entry, "differences", None),
            entry.changes
            and {k: entry.changes[k] for k in VALUES if k in entry.changes},
            getattr(getattr(entry, "kept", None), "by", None),
        )
        for entry in report.items
    ]


def story(world, first, doings):
    with rolled_back(), acting_as(world.user, ChangeOrigin.USER):
        found = [world.do(doing) for doing in [first, *doings]]
        return found, ArchivedChanges.objects.count()


@effort(12)
@given(first=packages, doings=stories, last=packages)
def test_nothing_is_decided_differently_after_archiving(
    admin_user, archive, first, doings, last
):
    doings = [*doings, last]
    note(str(doings))
    whole, none = story(World(admin_user), first, doings)
    assert not none
    for path in archive.files:
        path.unlink()
    archived, _files = story(World(admin_user, archive), first, doings)
    for one, other in zip(archived, whole, strict=True):
        assert one == other


def test_the_law_is_about_something(admin_user, archive):
    """Without the rules for imported rows, this story would end otherwise."""
    package = {"i1": {"name": "A", "category": "goods", "price": "1.0000"}}
    changed = {"i1": {**package["i1"], "name": "B", "price": "2.0000"}}
    edit = [("i1", {"name": name}) for name in ("C", "A", "C", "B", "C")]
    doings = [*edit, ARCHIVE, changed, ARCHIVE, *edit, changed]
    whole, _none = story(World(admin_user), package, doings)
    archived, number = story(World(admin_user, archive), package, doings)
    assert (archived, number) == (whole, 1)
    assert whole[7][1][1][2] == {"name": ["A", "C", "B"]}


def test_the_undo_of_an_archived_run_says_where_its_changes_are(admin_user, archive):
    package = {"i1": {"name": "A", "category": "goods"}}
    other = {"i2": {"name": "B", "category": "goods"}}
    first = run(steps_of(package), admin_user)
    for values in ("C", "E", "D"):
        row = Item.objects.get(code="i1")
        update_record(row=row, data={"name": values}, actor=admin_user)
    archive()
    later = run(steps_of(other), admin_user)
    (path,) = archive.files
    with pytest.raises(NotUndoable, match="archived on") as refused:
        undo_run(first.run_id, ImportOptions(), user=admin_user)
    assert path.name in str(refused.value)
    done = undo_run(later.run_id, ImportOptions(), user=admin_user)
    assert [entry.outcome.value for entry in done.items] == ["Reverted"]
    archive.restore(path)
    done = undo_run(first.run_id, ImportOptions(), user=admin_user)
    assert [entry.outcome.value for entry in done.items] == ["Kept", "Blocked"]


def test_changes_since_the_start_of_a_run_in_progress_stay(admin_user, archive):
    package = {"i1": {"name": "A", "category": "goods"}}
    run(steps_of(package), admin_user)
    since = timezone.now()
    ImportRun.objects.create(started_at=since, started_by_name="x", time_zone="UTC")
    for values in ("C", "D", "E"):
        row = Item.objects.get(code="i1")
        update_record(row=row, data={"name": values}, actor=admin_user)
    before = ChangeEvent.objects.count()
    outcome = archive()
    assert (outcome.count, outcome.before) == (0, since)
    assert ChangeEvent.objects.count() == before


def test_archiving_stops_for_an_undo_of_what_it_is_about_to_archive(
    admin_user, archive, monkeypatch
):
    package = {"i1": {"name": "A", "category": "goods"}}
    first = run(steps_of(package), admin_user)
    for values in ("C", "D", "E"):
        row = Item.objects.get(code="i1")
        update_record(row=row, data={"name": values}, actor=admin_user)

    def check(path):
        """Undo the run at the worst moment."""
        undo_run(first.run_id, ImportOptions(), user=admin_user)
        return real(path)

    real = files.check
    monkeypatch.setattr(archiving.files, "check", check)
    before = ChangeEvent.objects.count()
    with pytest.raises(archiving.ArchivingError, match="undone an old run"):
        archive()
    assert ChangeEvent.objects.count() >= before
    assert not ArchivedChanges.objects.exists()
    assert not list(archive.folder.iterdir())
