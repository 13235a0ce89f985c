"""The lists of rows: what they show, and what is done to many rows at once."""

from __future__ import annotations

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Group
from django.db import connection
from django.test.utils import CaptureQueriesContext

from catalogs.models import Item, UnitOfMeasure, Warehouse
from platform_site.records import services
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
from tests.records.lists import listed
from tests.records.pages import act, said, url

pytestmark = pytest.mark.django_db


@pytest.fixture
def page(client):
    client.force_login(boss())
    return client


def deleted(row):
    services.delete_record(row=row, actor=boss())
    return stored(row)


# -- what is shown ---------------------------------------------------------------------


def test_deleted_rows_stay_out_of_the_list_and_are_found_under_deleted(page):
    a_warehouse(code="LIVE")
    deleted(a_warehouse(code="GONE"))
    assert listed(page, Warehouse) == ["LIVE"]
    assert listed(page, Warehouse, deleted="yes") == ["GONE"]
    assert listed(page, Warehouse, deleted="nonsense") == ["LIVE"]


def test_a_list_is_searched_by_code_and_name(page):
    an_item(code="A-1", name="Rice")
    an_item(code="B-1", name="Beans", barcode="4711")
    assert listed(page, Item, q="rice") == ["A-1"]
    assert listed(page, Item, q="B-1") == ["B-1"]
    assert listed(page, Item, q="4711") == ["B-1"]


@pytest.mark.parametrize(
    ("price", "shown"), [("9.9", "9.90"), ("0.0125", "0.0125"), ("1234", "1,234.00")]
)
def test_a_price_is_listed_with_the_places_it_needs(page, price, shown):
    an_item(code="A-1", price=price)
    text = page.get(url(Item, "changelist")).content.decode()
    assert f'<td class="field-price_shown number" data-label="Price">{shown}<' in text


def test_a_list_shows_what_lies_in_a_folder(page):
    folder = a_folder(code="F-1")
    inner = a_folder(code="F-2", name="Inner shelf", parentId=folder.pk)
    an_item(code="A-1", parentId=folder.pk)
    an_item(code="A-2", parentId=inner.pk)
    assert listed(page, Item, folder="top") == ["F-1"]
    assert listed(page, Item, folder=folder.pk) == ["A-1", "F-2"]


@pytest.mark.parametrize("value", ["x", "-1", "9" * 40, "²"])
def test_a_folder_that_can_be_none_is_no_crash(page, value):
    answer = page.get(url(Item, "changelist", folder=value))
    assert answer.status_code == 302


@pytest.mark.counts
def test_a_list_asks_no_more_for_fifty_rows_than_for_five(page):
    folder, unit = a_folder(), a_unit()

    def queries():
        with CaptureQueriesContext(
            connection,
        ) as made:
            listed(page, Item)
        return len(made)

    def add(count):
        for _ in range(count):
            an_item(parentId=folder.pk, unitOfMeasureId=unit.pk)

    add(5)
    few = queries()
    add(55)
    assert queries() == few
    assert len(listed(page, Item)) == 50


# -- deleting --------------------------------------------------------------------------


def test_the_delete_button_deletes_softly_and_keeps_the_row(page):
    row = a_warehouse(code="M", name="Main")
    question = page.get(url(row, "delete")).content.decode()
    assert "can be restored" in question
    answer = page.post(url(row, "delete"), {"post": "yes"})
    assert answer.status_code == 302
    assert stored(row).is_deleted
    event = events(row).first()
    assert (event.action, event.origin, event.user_name) == ("deleted", "User", "boss")
    assert not LogEntry.objects.exists()


def test_the_delete_button_names_who_uses_the_row(page):
    unit = a_unit(code="kg", name="kilogram")
    an_item(code="A-1", name="Rice", unitOfMeasureId=unit.pk)
    answer = page.post(url(unit, "delete"), {"post": "yes"}, follow=True)
    assert said(answer) == ["kg kilogram is in use: item A-1 Rice."]
    assert answer.redirect_chain[0][0] == url(unit, "row")
    assert not stored(unit).is_deleted


def test_deleting_many_asks_first(page):
    rows = [a_warehouse(name="Shed"), a_warehouse(name="Hall")]
    answer = act(page, Warehouse, "delete_selected", rows)
    text = answer.content.decode()
    assert "Delete 2 warehouses?" in text
    assert "Shed" in text
    assert Warehouse.objects.live().count() == 2


def test_deleting_many_deletes_each_by_itself(page):
    used, free, other = a_unit(code="kg", name="kilogram"), a_unit(), a_unit()
    an_item(code="A-1", name="Rice", unitOfMeasureId=used.pk)
    answer = act(page, UnitOfMeasure, "delete_selected", [used, free, other], confirm=3)
    refused, deleted = said(answer)
    assert refused == "kg kilogram is in use: item A-1 Rice."
    assert deleted.startswith("2 units of measure deleted. <form")
    assert not stored(used).is_deleted
    assert stored(free).is_deleted
    assert stored(other).is_deleted
    assert events(free, action="deleted", origin="User", user_name="boss").count() == 1
    assert not LogEntry.objects.exists()


def test_deleting_many_asks_again_when_the_number_of_rows_has_changed(page):
    rows = [a_warehouse(), a_warehouse()]
    deleted(rows[1])
    answer = act(page, Warehouse, "delete_selected", rows, confirm=2)
    assert "Delete 1 warehouse?" in answer.content.decode()
    assert not stored(rows[0]).is_deleted


def test_all_rows_of_a_list_are_deleted_with_one_key_sent(page):
    rows = [a_warehouse() for _ in range(3)]
    data = {
        "action": "delete_selected",
        "select_across": "1",
        "_selected_action": [rows[0].pk],
    }
    question = page.post(url(Warehouse, "changelist"), {**data, "index": 0})
    assert "Delete 3 warehouses?" in question.content.decode()
    assert question.content.decode().count('name="_selected_action"') == 1
    page.post(url(Warehouse, "changelist"), {**data, "post": "3"})
    assert not Warehouse.objects.live().exists()


def test_many_refusals_do_not_bury_the_page(page):
    units = [a_unit() for _ in range(13)]
    for unit in units:
        an_item(unitOfMeasureId=unit.pk)
    answer = act(page, UnitOfMeasure, "delete_selected", units, confirm=13)
    assert len(said(answer)) == 11
    assert said(answer)[-1] == "3 other rows were refused as well."


# -- restoring -------------------------------------------------------------------------


def test_deleted_rows_are_restored_from_their_list(page):
    row = deleted(a_warehouse())
    answer = act(page, Warehouse, "restore_selected", [row], deleted="yes")
    assert said(answer) == ["1 warehouse restored."]
    assert not stored(row).is_deleted
    event = events(row).first()
    assert (event.action, event.origin, event.user_name) == ("restored", "User", "boss")


def test_a_row_whose_code_was_taken_is_not_restored_and_the_page_says_why(page):
    row = deleted(a_warehouse(code="M", name="Main"))
    a_warehouse(code="M", name="New")
    answer = act(page, Warehouse, "restore_selected", [row], deleted="yes")
    assert said(answer) == [
        'M Main: Code: "M" is taken by M New, which was entered by hand.'
    ]
    assert stored(row).is_deleted


def test_a_row_is_not_restored_into_a_deleted_folder(page):
    folder = a_folder()
    row = deleted(an_item(code="A-1", name="Rice", parentId=folder.pk))
    deleted(folder)
    answer = act(page, Item, "restore_selected", [row], deleted="yes")
    (sentence,) = said(answer)
    assert sentence == f"A-1 Rice: In folder: {folder} is deleted; restore it first."
    assert stored(row).is_deleted


def test_the_form_of_a_deleted_row_is_read_only_and_leads_to_its_page(page):
    row = deleted(a_warehouse(code="M 1"))
    text = page.get(url(row, "change")).content.decode()
    assert "This row is deleted." in text
    assert f'<a href="{url(row, "row")}">Open its page' in text
    assert 'name="name"' not in text
    assert 'name="_save"' not in text
    assert page.get(url(row, "delete")).status_code == 403


# -- erasing ---------------------------------------------------------------------------


def test_erasing_asks_first_and_then_removes_the_row(page):
    row = deleted(a_warehouse())
    question = act(page, Warehouse, "erase_selected", [row], deleted="yes")
    assert "cannot be restored" in question.content.decode()
    assert stored(row).is_deleted
    answer = act(page, Warehouse, "erase_selected", [row], confirm=1, deleted="yes")
    assert said(answer) == ["1 warehouse erased for good."]
    assert not Warehouse._base_manager.filter(pk=row.pk).exists()
    event = events(row).first()
    assert (event.action, event.origin, event.user_name) == ("deleted", "User", "boss")


def test_erasing_is_refused_while_a_deleted_row_refers_to_the_row(page):
    unit = a_unit(code="kg", name="kilogram")
    deleted(an_item(code="A-1", name="Rice", unitOfMeasureId=unit.pk))
    answer = act(page, UnitOfMeasure, "erase_selected", [unit], confirm=1)
    assert said(answer) == ["kg kilogram is in use: item A-1 Rice (deleted)."]
    assert stored(unit).code == "kg"


def actions(client, model, **query):
    answer = client.get(url(model, "changelist", **query))
    form = answer.context["action_form"]
    return (
        {name for name, _ in form.fields["action"].choices if name} if form else set()
    )


def test_live_rows_are_deleted_and_deleted_ones_restored(page):
    a_warehouse()
    deleted(a_warehouse())
    live, gone = actions(page, Warehouse), actions(page, Warehouse, deleted="yes")
    assert live == {"export_selected", "delete_selected", "erase_selected"}
    assert gone == {"restore_selected", "erase_selected"}


# -- rights ----------------------------------------------------------------------------


def test_the_actions_follow_the_rights(client):
    row = a_warehouse()
    clerk = a_clerk("view_warehouse", "delete_warehouse")
    client.force_login(clerk)
    assert actions(client, Warehouse) == {"delete_selected"}
    act(client, Warehouse, "erase_selected", [row], confirm=1)
    assert stored(row).pk == row.pk
    act(client, Warehouse, "delete_selected", [row], confirm=1)
    assert events(row).first().user_name == clerk.username
    assert actions(client, Warehouse, deleted="yes") == set()
    act(client, Warehouse, "restore_selected", [row], deleted="yes")
    assert stored(row).is_deleted
    clerk.groups.add(Group.objects.get_or_create(name="admin")[0])
    assert "erase_selected" in actions(client, Warehouse, deleted="yes")


def test_who_may_not_delete_deletes_nothing(client):
    row = a_warehouse()
    client.force_login(a_clerk("view_warehouse", "change_warehouse"))
    act(client, Warehouse, "delete_selected", [row], confirm=1)
    assert client.post(url(row, "delete"), {"post": "yes"}).status_code == 403
    assert not stored(row).is_deleted
