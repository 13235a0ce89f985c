"""The pages to read one row: what is on them, who may do what there, and where people
get after a form."""

from __future__ import annotations

import pytest
from django.urls import reverse

from catalogs.models import Item, UnitOfMeasure, Warehouse
from platform_site.records import services
from tests.catalogs.rows import (
    a_clerk,
    a_folder,
    a_unit,
    a_warehouse,
    an_item,
    boss,
    stored,
)
from tests.records.pages import add, links, said, save, text, typed, url

pytestmark = pytest.mark.django_db


@pytest.fixture
def page(client):
    client.force_login(boss())
    return client


# -- reading ---------------------------------------------------------------------------


def test_the_page_shows_the_properties_in_words(page):
    unit, folder = a_unit(code="kg", name="kilogram"), a_folder(code="F", name="Food")
    row = an_item(
        unitOfMeasureId=unit.pk, parentId=folder.pk, price="1234.5", category="goods"
    )
    answer = page.get(url(row, "row"))
    assert f"Code {row.code} Name {row.name}" in text(answer)
    assert "Category goods" in text(answer)
    assert "Price 1,234.50" in text(answer)
    assert links(answer)["kg kilogram"] == url(unit, "row")
    assert links(answer)["F Food"] == url(folder, "row")


def test_empty_properties_are_out_of_the_way(page):
    answer = page.get(url(a_warehouse(), "row"))
    assert "1 empty property Address —" in text(answer)


def test_a_folder_has_no_properties_of_items(page):
    answer = page.get(url(a_folder(), "row"))
    assert "folder" in text(answer)
    assert "Price" not in text(answer)


def test_the_page_leads_to_the_form_for_people_who_may_change_it(client):
    row = a_warehouse()
    client.force_login(a_clerk("view_warehouse", "change_warehouse"))
    shown = links(client.get(url(row, "row")))
    assert shown["Edit"] == url(row, "change")
    assert "Delete" not in shown
    client.force_login(a_clerk("view_warehouse"))
    assert "Edit" not in links(client.get(url(row, "row")))


def test_every_page_of_a_row_needs_the_right_to_view_it(client):
    row = a_warehouse()
    client.force_login(a_clerk("view_item"))
    for name in ("row", "related", "history", "source"):
        assert client.get(url(row, name)).status_code == 403
        assert client.get(url(row, name).replace(str(row.pk), "999")).status_code == 403


def test_a_row_that_doesnt_exist_is_said_with_a_link_to_its_list(page):
    for path in ("999/", "999/related/", "999/history/", "999/source/", f"{10**30}/"):
        answer = page.get(f"{url(Warehouse, 'changelist')}{path}")
        assert answer.status_code == 404, path
        assert "exist" in text(answer)
        assert url(Warehouse, "changelist") in links(answer).values()


def test_a_reference_is_no_link_for_people_who_may_not_see_its_row(client):
    unit = a_unit(code="kg", name="kilogram")
    row = an_item(unitOfMeasureId=unit.pk)
    client.force_login(a_clerk("view_item"))
    answer = client.get(url(row, "row"))
    assert "kg kilogram" in text(answer)
    assert "kg kilogram" not in links(answer)


def test_the_tabs_keep_the_filters_of_the_list(page):
    row = a_warehouse()
    kept = "_changelist_filters=q%3Dmain"
    answer = page.get(f"{url(row, 'row')}?{kept}")
    assert links(answer)["Edit"] == f"{url(row, 'change')}?{kept}"
    filtered = f"{url(Warehouse, 'changelist')}?q=main"
    assert f'<a href="{filtered}">Warehouses</a>' in answer.content.decode()


# -- related rows ----------------------------------------------------------------------


def test_rows_that_refer_to_a_row_are_listed_with_a_link_to_all(page):
    unit = a_unit()
    items = [an_item(unitOfMeasureId=unit.pk) for _ in range(12)]
    answer = page.get(url(unit, "related"))
    shown = links(answer)
    assert "Related (12)" in text(answer)
    assert [item.code for item in items if item.code in shown] == [
        item.code for item in items[2:]
    ]
    assert shown[items[-1].code] == url(items[-1], "row")
    listed = page.get(shown["Show all in the list"])
    assert listed.context["cl"].result_count == 12


def test_deleted_rows_are_not_related(page):
    unit = a_unit()
    services.delete_record(row=an_item(unitOfMeasureId=unit.pk), actor=boss())
    answer = page.get(url(unit, "related"))
    assert "No other row refers to this one" in text(answer)


def test_only_rows_that_the_reader_may_see_are_related(client):
    unit = a_unit()
    row = an_item(unitOfMeasureId=unit.pk)
    client.force_login(a_clerk("view_unitofmeasure"))
    answer = client.get(url(unit, "related"))
    assert "Related (0)" in text(answer)
    assert row.code not in text(answer)


def test_a_row_leads_to_those_that_it_refers_to(page):
    unit = a_unit(code="kg", name="kilogram")
    answer = page.get(url(an_item(unitOfMeasureId=unit.pk), "related"))
    assert "kg kilogram Unit of measure" in text(answer)
    assert links(answer)["kg kilogram"] == url(unit, "row")


# -- deleted rows ----------------------------------------------------------------------


def test_a_deleted_row_says_so_and_can_be_restored(page):
    row = a_warehouse()
    services.delete_record(row=row, actor=boss())
    answer = page.get(url(row, "row"))
    assert "This row is deleted." in text(answer)
    assert "Edit" not in links(answer)
    answer = page.post(url(row, "restore"), follow=True)
    assert said(answer) == [f"{row} is restored."]
    assert answer.redirect_chain == [(url(row, "row"), 302)]
    assert not stored(row).is_deleted


def test_a_refused_restore_says_why(page):
    row = a_warehouse(code="SAME")
    services.delete_record(row=row, actor=boss())
    a_warehouse(code="SAME")
    answer = page.post(url(row, "restore"), follow=True)
    assert "Code" in said(answer)[0]
    assert stored(row).is_deleted


def test_restoring_needs_the_right_to_change(client):
    row = a_warehouse()
    services.delete_record(row=row, actor=boss())
    client.force_login(a_clerk("view_warehouse"))
    assert "Restore" not in text(client.get(url(row, "row")))
    assert client.post(url(row, "restore")).status_code == 403
    assert client.get(url(row, "restore")).status_code == 405
    assert stored(row).is_deleted


def test_the_form_of_a_deleted_row_leads_to_its_page(page):
    row = a_warehouse()
    services.delete_record(row=row, actor=boss())
    shown = links(page.get(url(row, "change")))
    assert shown["Open its page, where it can be restored"] == url(row, "row")


# -- after a form ----------------------------------------------------------------------


def test_after_saving_people_read_the_row(page):
    row = a_warehouse()
    answer = page.post(url(row, "change"), typed(row, name="New name"), follow=True)
    assert answer.redirect_chain == [(url(row, "row"), 302)]
    assert "was changed successfully" in said(answer)[0]
    assert "New name" in text(answer)


def test_after_adding_people_read_the_new_row(page):
    answer = add(page, UnitOfMeasure, code="m", name="metre")
    row = UnitOfMeasure.objects.get()
    assert answer.url == url(row, "row")


def test_saving_to_continue_stays_on_the_form(page):
    row = a_warehouse()
    answer = save(page, row, name="Other", _continue="Save and continue editing")
    assert answer.url == url(row, "change")
    answer = save(page, stored(row), name="Third", _addanother="Save and add another")
    assert answer.url == url(Warehouse, "add")


def test_people_who_may_only_add_get_to_the_start_page(client):
    client.force_login(a_clerk("add_warehouse"))
    answer = add(client, Warehouse, code="W", name="Whole")
    assert answer.url == reverse("admin:index")
    assert Warehouse.objects.exists()


def test_after_a_refused_deletion_people_read_the_row(page):
    unit = a_unit()
    an_item(unitOfMeasureId=unit.pk)
    answer = page.post(url(unit, "delete"), {"post": "yes"}, follow=True)
    assert answer.redirect_chain == [(url(unit, "row"), 302)]
    assert "in use" in said(answer)[0]


# -- cost ------------------------------------------------------------------------------


@pytest.mark.counts
@pytest.mark.parametrize(
    ("name", "most"), [("row", 14), ("related", 24), ("history", 12), ("source", 10)]
)
def test_a_page_takes_the_same_few_queries_for_any_number_of_rows(
    page, name, most, django_assert_max_num_queries
):
    unit, folder = a_unit(), a_folder()
    row = an_item(unitOfMeasureId=unit.pk, parentId=folder.pk)
    for number in range(3):
        services.update_record(
            row=stored(row), data={"name": f"Name {number}"}, actor=boss()
        )
        an_item(unitOfMeasureId=unit.pk, parentId=folder.pk)
    for each in (row, unit, folder):
        with django_assert_max_num_queries(most):
            assert page.get(url(each, name)).status_code == 200
    assert Item.objects.count() == 5
