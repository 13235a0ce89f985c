"""The filters of lists: chips above the rows, ranges of numbers, and rows that somebody
has changed."""

from __future__ import annotations

import pytest

from catalogs.models import Item, UnitOfMeasure, Warehouse
from platform_site.records.services import update_record
from tests.catalogs.rows import (
    a_clerk,
    a_folder,
    a_unit,
    a_warehouse,
    an_item,
    boss,
    stored,
)
from tests.records.imported import imported_warehouse
from tests.records.lists import chips, listed, opened
from tests.records.pages import url

pytestmark = pytest.mark.django_db


@pytest.fixture
def page(client):
    client.force_login(boss())
    return client


# -- chips -----------------------------------------------------------------------------


def test_an_active_filter_is_a_chip_that_removes_it_and_keeps_the_others(page):
    an_item(code="A-1", price="5")
    query = {"category__exact": "goods", "price__gte": "1", "q": "A"}
    answer = opened(page, Item, **query)
    text = answer.content.decode()
    shown = {chip.title: chip for chip in answer.context["cl"].chips}
    assert (shown["Category"].text, shown["Price"].text) == ("goods", "from 1.00")
    assert shown["Category"].without == "?price__gte=1&q=A"
    assert 'aria-label="Remove the filter Category"' in text


def test_a_filter_that_is_not_used_has_no_chip(page):
    a_warehouse()
    assert chips(page, Warehouse) == []
    assert chips(page, Warehouse, deleted="no such choice") == []
    assert chips(page, Warehouse, deleted="yes") == [("State", "Deleted")]


def test_removing_a_filter_leaves_those_whose_names_begin_alike(page):
    an_item(code="A-1", price="5")
    answer = opened(page, Item, price__gte="1", folder="top", p="1")
    path = answer.context["folders"].path
    assert path[0].query == "?price__gte=1"


def test_a_list_without_results_says_what_it_was_filtered_by(page):
    an_item(code="A-1")
    text = opened(page, Item, category__exact="service", q="B").content.decode()
    assert "Search: “B” · Category: service" in text
    assert '<a href="?">Show all</a>' in text


def test_a_chosen_reference_is_named_to_those_who_may_see_it(page, client):
    unit = a_unit(code="kg", name="kilogram")
    an_item(unitOfMeasureId=unit.pk)
    query = {"unit_of_measure__id__exact": unit.pk}
    assert chips(page, Item, **query) == [("Unit of measure", "kg kilogram")]
    client.force_login(a_clerk("view_item"))
    assert chips(client, Item, **query) == [("Unit of measure", f"#{unit.pk}")]


def test_what_another_page_has_filtered_is_named_once(page):
    shelf = a_folder(code="F", name="Food")
    an_item(code="A-1", parentId=shelf.pk)
    linked = {"parent__id__exact": shelf.pk}
    assert chips(page, Item, **linked) == [("In folder", "F Food")]
    linked = {"is_folder__exact": "1"}
    assert chips(page, Item, **linked) == [("Folder", "Yes")]


# -- numbers ---------------------------------------------------------------------------


def test_prices_are_filtered_from_and_to_a_number_both_included(page):
    for code, price in (("A", "1"), ("B", "2.5"), ("C", "1000")):
        an_item(code=code, price=price)
    assert listed(page, Item, price__gte="2.5") == ["B", "C"]
    assert listed(page, Item, price__gte="1", price__lte="2.5") == ["A", "B"]
    query = {"price__gte": "1", "price__lte": "1000"}
    assert chips(page, Item, **query) == [("Price", "1.00 to 1,000.00")]


# -- changes ---------------------------------------------------------------------------


def test_rows_that_somebody_changed_since_their_import_are_found(page):
    row = imported_warehouse()
    a_warehouse(code="BY-HAND")
    query = {"changed": "since_import"}
    assert listed(page, Warehouse, **query) == []
    update_record(row=stored(row), data={"name": "Kept"}, actor=boss())
    assert listed(page, Warehouse, **query) == ["M"]
    assert chips(page, Warehouse, **query) == [("Changes", "changed since the import")]


def test_everybody_finds_the_rows_that_they_changed_themselves(client):
    mine, other = a_unit(code="MINE"), a_unit(code="OTHER")
    client.force_login(a_clerk("view_unitofmeasure", "change_unitofmeasure"))
    form = {"code": "MINE", "name": "Mine", "expected_version": mine.version}
    assert client.post(url(mine, "change"), form).status_code == 302
    assert listed(client, UnitOfMeasure, changed="by_me") == ["MINE"]
    assert stored(other).version == 1
