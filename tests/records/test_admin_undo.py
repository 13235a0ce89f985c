"""The button that undoes a deletion."""

from __future__ import annotations

import re

import pytest

from catalogs.models import UnitOfMeasure, Warehouse
from platform_site.records.services import delete_record
from tests.catalogs.rows import a_clerk, a_folder, a_warehouse, an_item, boss, stored
from tests.records.pages import act, said, url

pytestmark = pytest.mark.django_db


@pytest.fixture
def page(client):
    client.force_login(boss())
    return client


def undo(client, answer):
    """Press the button in the message of an answer."""
    (message,) = [text for text in said(answer) if "<form" in text]
    assert "Undo</button>" in message
    deletion = re.search(r'name="deletion" value="([^"]+)"', message)[1]
    address = re.search(r'action="([^"]+)"', message)[1]
    return client.post(address, {"deletion": deletion}, follow=True)


def test_all_rows_that_were_deleted_from_a_list_are_restored(page):
    rows = [a_warehouse(), a_warehouse()]
    earlier = a_warehouse()
    delete_record(row=earlier, actor=boss())
    answer = act(page, Warehouse, "delete_selected", rows, confirm=2)
    assert all(stored(row).is_deleted for row in rows)
    back = undo(page, answer)
    assert said(back)[-1] == "2 warehouses restored."
    assert not any(stored(row).is_deleted for row in rows)
    assert stored(earlier).is_deleted, "it was deleted before"


def test_a_row_that_was_deleted_on_its_page_is_restored(page):
    row = a_warehouse()
    answer = page.post(url(row, "delete"), {"post": "yes"})
    undo(page, answer)
    assert not stored(row).is_deleted


def test_what_a_row_refers_to_is_restored_before_it(page):
    folder = a_folder(code="F")
    item = an_item(code="A", parentId=folder.pk)
    answer = act(page, type(item), "delete_selected", [item, folder], confirm=2)
    undo(page, answer)
    assert not stored(folder).is_deleted
    assert not stored(item).is_deleted


def test_undoing_twice_says_that_nothing_is_left(page):
    answer = act(page, Warehouse, "delete_selected", [a_warehouse()], confirm=1)
    undo(page, answer)
    assert said(undo(page, answer)) == ["There is nothing left to restore."]


def test_nobody_undoes_what_somebody_else_deleted(page, client):
    row = a_warehouse()
    answer = act(page, Warehouse, "delete_selected", [row], confirm=1)
    client.force_login(a_clerk("view_warehouse", "change_warehouse"))
    undo(client, answer)
    assert stored(row).is_deleted


def test_who_may_not_restore_has_no_button(client):
    row = a_warehouse()
    client.force_login(a_clerk("view_warehouse", "delete_warehouse"))
    answer = act(client, Warehouse, "delete_selected", [row], confirm=1)
    assert said(answer) == ["1 warehouse deleted."]
    assert client.post("/admin/catalogs/warehouse/undo/").status_code == 403


@pytest.mark.parametrize("deletion", ["", "x", "\0", "x:y:z"])
def test_a_deletion_that_was_made_up_restores_nothing(page, deletion):
    row = a_warehouse()
    delete_record(row=row, actor=boss())
    path = "/admin/catalogs/warehouse/undo/"
    assert page.post(path, {"deletion": deletion}).status_code == 302
    assert stored(row).is_deleted


def test_a_deletion_is_undone_in_its_own_list_alone(page):
    row = a_warehouse()
    answer = act(page, Warehouse, "delete_selected", [row], confirm=1)
    (message,) = said(answer)
    deletion = re.search(r'name="deletion" value="([^"]+)"', message)[1]
    page.post(url(UnitOfMeasure, "changelist") + "undo/", {"deletion": deletion})
    assert stored(row).is_deleted
