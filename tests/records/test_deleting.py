"""Rows leave and come back: deleted softly, restored, and erased for good."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import Group

from catalogs.models import Warehouse
from platform_site.changes.models import ChangeEvent
from platform_site.records import services
from platform_site.records.errors import (
    InUse,
    NotAllowed,
    Refusal,
    Stale,
)
from tests.catalogs.rows import (
    a_clerk,
    a_folder,
    a_unit,
    a_warehouse,
    an_item,
    boss,
    events,
    stored,
)
from tests.records.imported import (
    MARK_FIELDS,
    columns,
    imported_warehouse,
    sentences,
)

pytestmark = pytest.mark.django_db


# -- deleting and restoring ------------------------------------------------------------


def test_deleting_keeps_the_row_and_its_mark():
    row = imported_warehouse()
    marked = [getattr(row, name) for name in MARK_FIELDS]
    modified = row.modified
    services.delete_record(row=row, actor=boss())
    gone = stored(row)
    assert gone.is_deleted
    assert gone.modified > modified
    assert [getattr(gone, name) for name in MARK_FIELDS] == marked
    assert events(row).first().action == "deleted"


def test_deleting_twice_is_one_deletion():
    row = a_warehouse()
    services.delete_record(row=row, actor=boss())
    services.delete_record(row=stored(row), actor=boss())
    assert events(row, action="deleted").count() == 1


def test_a_row_in_use_is_not_deleted_and_its_users_are_named():
    unit = a_unit(code="kg", name="kilogram")
    for number in range(7):
        an_item(code=f"I-{number}", name="Rice", unitOfMeasureId=unit.pk)
    with pytest.raises(InUse) as refusal:
        services.delete_record(row=unit, actor=boss())
    sentence = sentences(refusal)[""]
    assert sentence.startswith("kg kilogram is in use: item I-0 Rice, ")
    assert sentence.count("Rice") == 5
    assert "and others" in sentence
    assert not stored(unit).is_deleted


def test_a_folder_is_in_use_while_something_live_lies_in_it():
    folder = a_folder()
    item = an_item(parentId=folder.pk)
    with pytest.raises(InUse):
        services.delete_record(row=folder, actor=boss())
    services.delete_record(row=item, actor=boss())
    services.delete_record(row=folder, actor=boss())
    assert stored(folder).is_deleted


def test_restoring_brings_a_row_back():
    row = a_warehouse()
    services.delete_record(row=row, actor=boss())
    services.restore_record(row=stored(row), actor=boss())
    assert not stored(row).is_deleted
    assert events(row).first().action == "restored"


def test_restoring_a_live_row_writes_nothing():
    row = a_warehouse()
    before = columns(row)
    services.restore_record(row=row, actor=boss())
    assert columns(row) == before
    assert events(row).count() == 1


def test_a_row_whose_code_is_taken_now_is_not_restored():
    row = a_warehouse(code="M")
    services.delete_record(row=row, actor=boss())
    other = a_warehouse(code="M")
    with pytest.raises(Refusal) as refusal:
        services.restore_record(row=stored(row), actor=boss())
    assert sentences(refusal) == {
        "code": f'"M" is taken by {other}, which was entered by hand.'
    }
    assert stored(row).is_deleted


# -- erasing ---------------------------------------------------------------------------


def test_erasing_removes_the_row_and_remembers_its_values():
    row = imported_warehouse()
    key = row.pk
    services.erase_record(row=row, actor=boss())
    assert not Warehouse._base_manager.filter(pk=key).exists()
    event = ChangeEvent.objects.filter(model="Warehouses", row_id=key).first()
    assert event.action == "deleted"
    assert event.changes == {"code": ["M", None], "name": ["Main", None]}


def test_an_administrator_by_role_may_erase():
    row = a_warehouse()
    clerk = a_clerk("delete_warehouse")
    with pytest.raises(NotAllowed):
        services.erase_record(row=row, actor=clerk)
    clerk.groups.add(Group.objects.get_or_create(name="admin")[0])
    # Read once for a request, as Django's rights are.
    services.erase_record(row=row, actor=type(clerk).objects.get(pk=clerk.pk))
    assert not Warehouse.objects.exists()


@pytest.mark.parametrize("deleted", [False, True], ids=["live", "deleted"])
def test_a_row_is_not_erased_while_any_row_refers_to_it(deleted):
    unit = a_unit(code="kg")
    item = an_item(code="I-1", name="Rice", unitOfMeasureId=unit.pk)
    if deleted:
        services.delete_record(row=item, actor=boss())
    with pytest.raises(InUse) as refusal:
        services.erase_record(row=unit, actor=boss())
    assert "item I-1 Rice" in sentences(refusal)[""]
    assert ("(deleted)" in sentences(refusal)[""]) is deleted
    assert stored(unit).pk == unit.pk
    assert not events(unit, action="deleted").exists()


def test_erasing_what_somebody_else_erased_leaves_no_second_event():
    row = a_warehouse()
    late, key = stored(row), row.pk
    services.erase_record(row=row, actor=boss())
    with pytest.raises(Stale):
        services.erase_record(row=late, actor=boss())
    found = ChangeEvent.objects.filter(model="Warehouses", row_id=key)
    assert found.filter(action="deleted").count() == 1
