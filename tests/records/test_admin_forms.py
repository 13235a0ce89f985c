"""The page of a row: what is typed goes to the services, and to them alone."""

from __future__ import annotations

import re

import pytest
from django.contrib.admin.models import LogEntry

from catalogs.models import Constant, Item, Warehouse
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
from tests.records.pages import add, save, typed, url

pytestmark = pytest.mark.django_db


# -- creating and changing -------------------------------------------------------------


def test_a_date_is_taken_as_it_was_typed(client):
    client.force_login(boss())
    day = {"name": "Rate", "effective_date": "2026-05-01", "value": "1"}
    assert add(client, Constant, **day).status_code == 302
    row = Constant.objects.get()
    assert str(row.effective_date) == "2026-05-01"
    later = {**day, "effective_date": "2026-06-30", "expected_version": row.version}
    assert client.post(url(row, "change"), later).status_code == 302
    assert str(stored(row).effective_date) == "2026-06-30"


def test_a_new_row_is_written_with_an_event_of_the_person(page, who):
    unit = a_unit()
    answer = add(
        page,
        Item,
        code="A-1",
        name="Rice",
        category="goods",
        unit_of_measure=unit.pk,
        price="12.5",
        description="In bags.\r\nOf five kilograms.",
    )
    assert answer.status_code == 302
    row = Item.objects.get(code="A-1")
    assert row.unit_of_measure_id == unit.pk
    assert row.description == "In bags.\nOf five kilograms."
    event = events(row).get()
    assert (event.action, event.origin) == ("created", "User")
    assert (event.user_name, event.user_id) == (who.username, who.pk)
    assert event.changes["price"] == [None, "12.5000"]


def test_a_change_touches_only_what_was_retyped(page, who):
    row = an_item(name="Rice", price="1.5", description="One\nTwo")
    answer = save(page, row, name="Basmati", description="One\r\nTwo")
    assert answer.status_code == 302
    event = events(row).first()
    assert event.changes == {"name": ["Rice", "Basmati"]}
    assert (event.origin, event.user_name) == ("User", who.username)
    assert stored(row).version == 2


@pytest.mark.parametrize("retyped", [{}, {"name": "  Rice "}], ids=["none", "spaces"])
def test_saving_without_a_change_writes_nothing(page, retyped):
    row = an_item(name="Rice", price="1.5", description="One\nTwo\n\nThree")
    before = Item._base_manager.filter(pk=row.pk).values().get()
    browser = {"description": "One\r\nTwo\r\n\r\nThree", "price": "1.5000"}
    assert save(page, row, **browser, **retyped).status_code == 302
    assert Item._base_manager.filter(pk=row.pk).values().get() == before
    assert events(row).count() == 1


def test_a_name_with_a_line_end_survives_a_field_of_one_line(page):
    row = a_warehouse(name="Main\nhouse")
    # A browser cannot put the line end into the field, and sends the name without it.
    save(page, row, name="Mainhouse", address="Road 1")
    assert stored(row).name == "Main\nhouse"
    assert events(row).first().changes == {"address": ["", "Road 1"]}


@pytest.mark.parametrize(
    ("price", "typed", "read"),
    [("9.9", "9.90", "9.90"), ("1234", "1234.00", "1,234.00")],
)
def test_a_price_has_the_places_it_needs_in_its_box_and_on_a_page_to_read(
    page, price, typed, read
):
    row = an_item(code="A-1", price=price)
    assert f'value="{typed}"' in page.get(url(row, "change")).content.decode()
    services.delete_record(row=row, actor=boss())
    text = page.get(url(row, "change")).content.decode()
    assert f'<div class="readonly">{read}</div>' in text


def test_a_field_can_be_emptied(page):
    folder = a_folder()
    row = an_item(parentId=folder.pk, price="3", barcode="4006381333931")
    assert save(page, row, parent="", price="", barcode="").status_code == 302
    after = stored(row)
    assert (after.parent_id, after.price, after.barcode) == (None, None, "")


def test_django_keeps_no_log_of_its_own(page):
    row = a_warehouse()
    save(page, row, name="New")
    add(page, Warehouse, code="W", name="W")
    assert Warehouse.objects.filter(code="W").exists()
    assert not LogEntry.objects.exists()


# -- the page itself -------------------------------------------------------------------


def test_the_page_of_a_row_carries_its_version(page):
    row = a_warehouse()
    text = page.get(url(row, "change")).content.decode()
    hidden = re.search(r'<input[^>]*name="expected_version"[^>]*>', text).group()
    assert 'type="hidden"' in hidden
    assert f'value="{row.version}"' in hidden


def test_what_a_row_was_created_as_cannot_be_changed(page):
    row = an_item()
    assert 'name="is_folder"' not in page.get(url(row, "change")).content.decode()
    save(page, row, is_folder="on", name="New")
    assert (stored(row).is_folder, stored(row).name) == (False, "New")


def test_the_page_of_a_folder_has_no_fields_of_an_item(page):
    text = page.get(url(a_folder(), "change")).content.decode()
    assert 'name="parent"' in text
    assert 'name="price"' not in text


def test_the_box_for_folders_says_what_a_folder_is(page):
    text = page.get(url(Item, "add")).content.decode()
    assert "A folder only contains other items" in text


def test_references_are_looked_up_while_typing_and_deleted_rows_are_not_offered(page):
    live, gone = a_unit(name="kilogram"), a_unit(name="kilogram, old")
    services.delete_record(row=gone, actor=boss())
    found = page.get(
        "/admin/autocomplete/",
        {
            "term": "kilo",
            "app_label": "catalogs",
            "model_name": "item",
            "field_name": "unit_of_measure",
        },
    ).json()["results"]
    assert [each["id"] for each in found] == [str(live.pk)]


def test_only_folders_are_offered_as_a_folder(page):
    folder = a_folder(name="Rice and more")
    an_item(name="Rice")
    found = page.get(
        "/admin/autocomplete/",
        {
            "term": "rice",
            "app_label": "catalogs",
            "model_name": "item",
            "field_name": "parent",
        },
    ).json()["results"]
    assert [each["id"] for each in found] == [str(folder.pk)]


# -- rights ----------------------------------------------------------------------------


def test_without_a_right_the_page_is_closed(client):
    row = a_warehouse(name="Before")
    client.force_login(a_clerk("view_item"))
    assert client.get(url(Warehouse, "changelist")).status_code == 403
    assert client.get(url(row, "change")).status_code == 403
    assert client.get(url(row, "history")).status_code == 403
    assert add(client, Warehouse, code="W", name="W").status_code == 403
    assert save(client, row, name="After").status_code == 403
    assert client.post(url(row, "delete"), {"post": "yes"}).status_code == 403
    assert Warehouse.objects.get().name == "Before"


def test_read_only_users_see_the_row_and_change_nothing(client):
    row = a_warehouse(name="Before")
    client.force_login(a_clerk("view_warehouse"))
    text = client.get(url(row, "change")).content.decode()
    assert "Before" in text
    assert "Change information" in text
    assert 'name="name"' not in text
    assert save(client, row, name="After").status_code == 403
    assert stored(row).name == "Before"


def test_a_right_the_services_deny_closes_the_page(client, monkeypatch):
    row = a_warehouse()
    client.force_login(boss())

    def deny(**kwargs):
        raise services.NotAllowed([services.Problem("", "No.")])

    monkeypatch.setattr(services, "update_record", deny)
    assert client.post(url(row, "change"), typed(row, name="x")).status_code == 403
