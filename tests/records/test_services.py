"""The services that write a row: what they write, what they leave alone, what they refuse."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from django.db.models import QuerySet
from django.utils import timezone

from catalogs.models import Item, Warehouse
from importer.pipeline.ports import Write
from platform_site.changes.models import ChangeEvent
from platform_site.changes.services import ChangeOrigin, acting_as
from platform_site.records import services
from platform_site.records.errors import (
    NotAllowed,
    Refusal,
    Stale,
    WriteRefused,
)
from tests.catalogs.rows import a_clerk, a_warehouse, an_item, boss, events, stored
from tests.records.imported import (
    MARK_FIELDS,
    columns,
    imported_warehouse,
    sentences,
)

pytestmark = pytest.mark.django_db


# -- preparing and committing --------------------------------------------------------


def test_preparing_writes_nothing():
    draft = services.prepare(Write({"code": "M", "name": "Main"}, boss()), Warehouse)
    assert draft.row.code == "M"
    assert not Warehouse.objects.exists()
    assert not ChangeEvent.objects.filter(model="Warehouses").exists()


def test_preparing_a_change_leaves_the_row_at_hand_alone():
    row = a_warehouse(name="Before")
    order = Write({"name": "After"}, boss(), row=row, version=row.version)
    draft = services.prepare(order, Warehouse)
    assert (row.name, draft.row.name) == ("Before", "After")
    assert draft.changes == {"name": ["Before", "After"]}


def test_preparing_refuses_what_committing_would():
    with pytest.raises(Refusal) as refusal:
        services.prepare(Write({"name": "", "code": "M"}, boss()), Warehouse)
    assert "empty" in sentences(refusal)["name"]


def test_a_new_row_leaves_one_event_with_its_values():
    user = boss()
    with acting_as(user, ChangeOrigin.USER):
        row = services.create_record(
            model=Warehouse, data={"code": " M ", "name": "Main"}, actor=user
        )
    event = events(row).get()
    assert (event.action, event.origin, event.user_name) == ("created", "User", "boss")
    assert event.row == "M Main"
    assert event.changes == {"code": [None, "M"], "name": [None, "Main"]}
    assert (row.version, row.created) == (1, row.modified)


def test_a_change_writes_only_the_columns_that_change():
    row = a_warehouse(name="Before", address="Old road")
    behind = stored(row)
    # As posting does: a column of its own, without a new version.
    QuerySet(Warehouse).filter(pk=row.pk).update(address="New road")
    services.update_record(row=behind, data={"name": "After"}, actor=boss())
    assert (stored(row).name, stored(row).address) == ("After", "New road")


def test_a_change_names_before_and_after():
    row = a_warehouse(name="Before")
    services.update_record(row=row, data={"name": "After", "address": ""}, actor=boss())
    event = events(row).first()
    assert event.action == "updated"
    assert event.changes == {"name": ["Before", "After"]}


def test_a_change_to_the_same_values_writes_nothing():
    row = a_warehouse(name="Same", address="Road 1")
    before = columns(row)
    services.update_record(
        row=row, data={"name": " Same ", "address": "Road 1"}, actor=boss()
    )
    assert columns(row) == before
    assert events(row).count() == 1


@pytest.mark.parametrize("step", [timedelta(0), timedelta(days=-1)])
def test_the_time_of_a_change_never_goes_back(monkeypatch, step):
    row = a_warehouse()
    monkeypatch.setattr(timezone, "now", lambda: row.modified + step)
    seen = [row.modified]
    for name in ("One", "Two", "Three"):
        changed = services.update_record(
            row=stored(row), data={"name": name}, actor=boss()
        )
        seen.append(changed.modified)
    assert seen == sorted(set(seen))
    assert stored(row).modified == seen[-1]


def test_a_change_after_an_import_is_later_than_it_even_with_a_frozen_clock(
    monkeypatch,
):
    now = datetime(2026, 1, 1, tzinfo=UTC)
    monkeypatch.setattr(timezone, "now", lambda: now)
    row = imported_warehouse()
    assert row.modified == row.import_imported_at == now
    assert not stored(row).is_modified_after_import
    services.update_record(row=row, data={"name": "By hand"}, actor=boss())
    assert stored(row).is_modified_after_import


def test_an_ordinary_save_keeps_the_mark():
    row = imported_warehouse()
    marked = [getattr(row, name) for name in MARK_FIELDS]
    services.update_record(row=row, data={"name": "By hand"}, actor=boss())
    after = stored(row)
    assert after.name == "By hand"
    assert [getattr(after, name) for name in MARK_FIELDS] == marked


# -- two at once -----------------------------------------------------------------------


def test_the_second_of_two_changes_is_refused():
    row = a_warehouse(name="Before")
    one, other = stored(row), stored(row)
    services.update_record(row=one, data={"name": "First"}, actor=boss())
    with pytest.raises(Stale):
        services.update_record(row=other, data={"name": "Second"}, actor=boss())
    assert stored(row).name == "First"
    assert events(row).count() == 2


def test_a_change_decided_on_another_version_is_refused():
    row = a_warehouse(name="Before")
    with pytest.raises(Stale):
        services.update_record(
            row=row, data={"name": "After"}, actor=boss(), expected_version=7
        )
    assert stored(row).name == "Before"


def test_deleting_a_row_changed_by_somebody_else_is_refused():
    row = a_warehouse()
    late = stored(row)
    services.update_record(row=row, data={"name": "After"}, actor=boss())
    with pytest.raises(Stale):
        services.delete_record(row=late, actor=boss())
    assert not stored(row).is_deleted


# -- going round the services ----------------------------------------------------------


@pytest.mark.parametrize(
    "write",
    [
        lambda: Warehouse.objects.update(name="x"),
        lambda: Warehouse.objects.all().delete(),
        lambda: Warehouse.objects.bulk_create([Warehouse(code="x", name="x")]),
        lambda: Warehouse.objects.bulk_update(Warehouse.objects.all(), ["name"]),
        lambda: Warehouse.objects.get().delete(),
    ],
    ids=["update", "delete", "bulk_create", "bulk_update", "the row's own delete"],
)
def test_writing_past_the_services_is_refused(write):
    """OPEN-16."""
    row = a_warehouse(name="Before")
    with pytest.raises(WriteRefused):
        write()
    assert Warehouse.objects.get().name == row.name


# -- rights ----------------------------------------------------------------------------


def test_each_write_needs_its_own_right():
    row, gone = an_item(), an_item()
    services.delete_record(row=gone, actor=boss())
    writes = {
        "add_item": lambda who: services.create_record(
            model=Item,
            data={"isFolder": True, "code": "F", "name": "F"},
            actor=who,
        ),
        "change_item": lambda who: services.update_record(
            row=stored(row), data={"name": "New"}, actor=who
        ),
        "delete_item": lambda who: services.delete_record(row=stored(row), actor=who),
    }
    for right, write in writes.items():
        others = {*writes, "view_item"} - {right}
        with pytest.raises(NotAllowed):
            write(a_clerk(*others))
    with pytest.raises(NotAllowed):
        services.restore_record(row=stored(gone), actor=a_clerk("add_item"))
    assert not Item.objects.filter(code="F").exists()
    assert stored(row).version == 1
    for right, write in writes.items():
        write(a_clerk(right))
    assert stored(row).is_deleted
    assert stored(row).name == "New"
