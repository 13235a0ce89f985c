"""Saving a row by itself, as a shell, a fixture or another app does: judged, recorded and
versioned like a write of the services, and nothing leads round it."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from catalogs.models import Item, Warehouse
from documents.models import SalesOrder
from platform_site.changes.models import ChangeEvent
from platform_site.changes.services import ChangeOrigin, acting_as
from platform_site.records import services
from platform_site.records.errors import InUse, Refusal, Stale
from tests.catalogs.rows import (
    a_folder,
    a_unit,
    a_warehouse,
    an_item,
    boss,
    events,
    stored,
)
from tests.documents.rows import World
from tests.records.imported import columns, imported_warehouse, sentences

pytestmark = pytest.mark.django_db


def refused_alike(row, model, values):
    """Return the paths that both a save and the services refuse, in the same words."""
    with pytest.raises(Refusal) as saved:
        row.save()
    with pytest.raises(Refusal) as served:
        services.create_record(model=model, data=values, actor=boss())
    assert sentences(saved) == sentences(served)
    assert not model.objects.exists()
    return set(sentences(saved))


# -- what a save refuses -----------------------------------------------------------------


def test_a_save_refuses_what_the_services_refuse():
    unit = a_unit()
    row = Item(code="", name="N" * 251, is_folder=False, category="none", price="x")
    row.unit_of_measure = unit
    wire = {
        "code": "",
        "name": "N" * 251,
        "isFolder": False,
        "category": "none",
        "price": "x",
        "unitOfMeasureId": unit.pk,
    }
    assert refused_alike(row, Item, wire) == {"code", "name", "category", "price"}


def test_a_save_refuses_what_belongs_to_other_rows_only():
    row = Item(code="A", name="A", is_folder=False)
    wire = {"code": "A", "name": "A", "isFolder": False}
    assert refused_alike(row, Item, wire) == {"category", "unitOfMeasureId"}


def test_a_save_asks_the_rules():
    folder, item = a_folder(), an_item()
    folder.is_folder, folder.category = False, "goods"
    folder.unit_of_measure = item.unit_of_measure
    item.parent = an_item(code="no folder")
    with pytest.raises(Refusal) as turned:
        folder.save()
    with pytest.raises(Refusal) as moved:
        item.save()
    assert "isFolder" in sentences(turned)
    assert set(sentences(moved)) == {"parentId"}
    assert stored(folder).is_folder
    assert stored(item).parent_id is None


def test_a_save_refuses_a_code_that_another_row_has():
    a_warehouse(code="M")
    with pytest.raises(Refusal) as refusal:
        Warehouse(code="M", name="Second").save()
    assert "code" in sentences(refusal)
    assert Warehouse.objects.count() == 1


def test_a_save_refuses_a_reference_to_a_deleted_row():
    unit, row = a_unit(), an_item()
    services.delete_record(row=unit, actor=boss())
    row.unit_of_measure = unit
    with pytest.raises(Refusal) as refusal:
        row.save()
    assert set(sentences(refusal)) == {"unitOfMeasureId"}


def test_a_row_in_use_is_not_deleted_by_a_save():
    row = an_item()
    unit = row.unit_of_measure
    unit.is_deleted = True
    with pytest.raises(InUse):
        unit.save()
    assert not stored(unit).is_deleted


def test_a_document_without_lines_is_not_saved():
    world = World()
    order = world.order((world.rice, 1, 1))
    copy = SalesOrder(
        date=order.date,
        counterparty=order.counterparty,
        currency=order.currency,
        warehouse_id=order.warehouse_id,
    )
    with pytest.raises(Refusal) as refusal:
        copy.save()
    assert set(sentences(refusal)) == {"lines"}
    copy.lines = order.lines
    copy.save()
    assert stored(copy).lines == order.lines
    assert stored(copy).total == order.total
    assert copy.code not in {"", order.code}


# -- what a save writes ------------------------------------------------------------------


def test_a_new_row_is_recorded_once_in_the_name_of_the_system():
    row = Warehouse(code=" M ", name="Main")
    row.save()
    event = events(row).get()
    assert (event.action, event.origin, event.user_name) == ("created", "System", "")
    assert event.changes == {"code": [None, "M"], "name": [None, "Main"]}
    assert (row.code, row.version, row.created) == ("M", 1, row.modified)


def test_a_changed_row_is_recorded_once_in_the_name_of_whoever_acts():
    row = stored(a_warehouse(name="Before"))
    row.name = "After"
    with acting_as(boss(), ChangeOrigin.API_KEY):
        row.save()
    event = events(row).first()
    assert events(row).count() == 2
    assert (event.action, event.origin, event.user_name) == (
        "updated",
        "API key",
        "boss",
    )
    assert event.changes == {"name": ["Before", "After"]}
    assert row.version == stored(row).version == 2


def test_a_save_that_changes_nothing_writes_nothing():
    row = stored(imported_warehouse())
    before = columns(row)
    row.save()
    assert columns(row) == before
    assert events(row).count() == 1


@pytest.mark.parametrize("only", [None, ["name"]])
def test_an_imported_row_that_is_saved_is_a_users(only):
    row = stored(imported_warehouse())
    row.name = "By hand"
    row.save(update_fields=only)
    assert stored(row).is_modified_after_import


def test_only_the_columns_asked_for_are_judged_and_written():
    row = stored(a_warehouse(code="M", name="Before"))
    row.code, row.name = "", "After"
    row.save(update_fields=["name"])
    assert (stored(row).code, stored(row).name) == ("M", "After")
    assert events(row).first().changes == {"name": ["Before", "After"]}


def test_the_second_of_two_saves_is_refused():
    row = a_warehouse(name="Before")
    one, other = stored(row), stored(row)
    one.name, other.name = "First", "Second"
    one.save()
    with pytest.raises(Stale):
        other.save()
    assert stored(row).name == "First"


def test_a_row_is_deleted_and_comes_back_by_saves():
    row = a_warehouse()
    for deleted in (True, False):
        row.is_deleted = deleted
        row.save()
    actions = [event.action for event in events(row).order_by("id")]
    assert actions == ["created", "deleted", "restored"]


def test_a_document_is_posted_and_taken_back_by_saves():
    world = World()
    receipt = stored(world.receipt((world.rice, 1, 1), post=False))
    for posted in (True, False):
        receipt.is_active = posted
        receipt.save()
        assert stored(receipt).is_active is posted
    told = [(e.action, e.changes) for e in events(receipt).order_by("id")[1:]]
    assert told == [
        ("posted", {"isActive": [False, True]}),
        ("unposted", {"isActive": [True, False]}),
    ]


def test_the_services_judge_a_row_once(monkeypatch):
    asked = []
    (rule, *_others) = Item.rules
    check = type(rule).check
    monkeypatch.setattr(
        type(rule), "check", lambda *args: asked.append(None) or check(*args)
    )
    an_item()
    assert len(asked) == 1


@pytest.mark.counts
def test_a_save_by_the_services_asks_the_database_no_more_than_before():
    data = {"code": "W", "name": "W"}
    user = boss()
    with CaptureQueriesContext(connection) as asked:
        services.create_record(model=Warehouse, data=data, actor=user)
    written = [q["sql"] for q in asked if not q["sql"].startswith(("SAVE", "RELEASE"))]
    assert [sql.split()[0] for sql in written] == ["INSERT", "INSERT"]
    assert ChangeEvent.objects.filter(model="Warehouses").count() == 1
